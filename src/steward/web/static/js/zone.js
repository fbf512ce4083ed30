// The server shows times in the viewer's time zone, which only the browser knows.
const NAME = "steward_zone";
const YEAR = 31536000;

export function noteZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const noted = document.cookie.split("; ").find((part) => part.startsWith(`${NAME}=`));
  const wanted = `${NAME}=${encodeURIComponent(zone)}`;
  if (!zone || noted === wanted) return;
  document.cookie = `${wanted}; path=/; max-age=${YEAR}; samesite=lax`;
  // The page was rendered without the zone: load it again once.
  if (noted === undefined && zone !== "UTC" && document.querySelector("time")) window.location.reload();
}

// The server shows times in the zone of whoever looks at them; only the browser knows which one that is.
const NAME = "steward_zone";
const YEAR = 31536000;

export function noteZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const noted = document.cookie.split("; ").find((part) => part.startsWith(`${NAME}=`));
  const wanted = `${NAME}=${encodeURIComponent(zone)}`;
  if (!zone || noted === wanted) return;
  document.cookie = `${wanted}; path=/; max-age=${YEAR}; samesite=lax`;
  // The page was made without knowing; once it is known, it stays so.
  if (noted === undefined && zone !== "UTC" && document.querySelector("time")) window.location.reload();
}

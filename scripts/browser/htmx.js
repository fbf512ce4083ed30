export { default } from "htmx.org";

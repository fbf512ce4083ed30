export { GridStack } from "gridstack";

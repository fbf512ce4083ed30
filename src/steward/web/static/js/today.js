// The chart on Today.
import { drawCharts } from "./chart.js";

drawCharts();

// The trend below the day's work.
import { drawCharts } from "./chart.js";

drawCharts();

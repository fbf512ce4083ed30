// The usage chart of an API key.
import { drawCharts } from "./chart.js";

drawCharts();

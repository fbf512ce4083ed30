// What an API key did.
import { drawCharts } from "./chart.js";

drawCharts();

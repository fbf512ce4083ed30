// Charts: an element with `data-chart` has the address of its data.
//
//   {"kind": "line" | "bar" | "gauge", "x": "time" | ["Jan", …], "unit": "°C", "stacked": false,
//    "series": [{"name": "Temperature", "points": [[seconds, value], …] or [value, …], "tone": "red"}],
//    "lines": [{"name": "Warning", "value": 30, "tone": "amber"}],
//    "spans": [{"name": "Too warm", "from": seconds, "to": seconds, "tone": "red"}],
//    "min": 0, "max": 100}
const TONES = ["accent", "blue", "amber", "violet", "green", "red"];
const drawn = new Map();
let library;

export function drawCharts(root = document) {
  for (const element of root.querySelectorAll("[data-chart]")) draw(element);
}

export async function draw(element) {
  const answer = await fetch(element.dataset.chart);
  if (!answer.ok) {
    element.textContent = "The chart can't be drawn at the moment.";
    return;
  }
  await show(element, await answer.json());
}

export async function show(element, content) {
  library ??= import("../vendor/echarts.js");
  const echarts = await library;
  let chart = drawn.get(element);
  if (!chart) {
    chart = echarts.init(element, null, { renderer: "canvas" });
    drawn.set(element, chart);
    new ResizeObserver(() => chart.resize()).observe(element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(element, element.content));
  }
  element.content = content;
  chart.setOption(content.kind === "gauge" ? gauge(content) : axes(content), { notMerge: true });
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function axes(content) {
  const time = content.x === "time";
  const text = { color: colour("soft"), fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 };
  const line = { lineStyle: { color: colour("line") } };
  return {
    animation: false,
    color: TONES.map(colour),
    textStyle: text,
    grid: { left: 8, right: 16, top: (content.series.length > 1 ? 36 : 16) + (content.unit ? 12 : 0), bottom: 8, containLabel: true },
    legend: content.series.length > 1 ? { top: 0, left: 0, textStyle: text, icon: "roundRect", itemHeight: 8 } : undefined,
    tooltip: {
      trigger: "axis",
      // Drawn, since a tooltip of HTML would need inline styles.
      renderMode: "richText",
      backgroundColor: colour("raised"),
      borderColor: colour("line"),
      textStyle: { color: colour("ink") },
      valueFormatter: (value) => (value === null || value === undefined ? "–" : `${round(value)} ${content.unit ?? ""}`),
    },
    xAxis: { type: time ? "time" : "category", data: time ? undefined : content.x, axisLabel: { ...text, hideOverlap: true }, axisLine: line, axisTick: { show: false } },
    yAxis: { type: "value", scale: content.kind === "line", min: content.min, max: content.max, axisLabel: text, splitLine: line, name: content.unit, nameTextStyle: { ...text, align: "left" } },
    series: content.series.map((one, at) => series(content, one, at, time)),
  };
}

function series(content, one, at, time) {
  const found = {
    name: one.name,
    type: content.kind,
    stack: content.stacked ? "all" : undefined,
    data: time ? one.points.map(([seconds, value]) => [seconds * 1000, value]) : one.points,
    showSymbol: false,
    lineStyle: { width: 2 },
    barMaxWidth: 28,
    itemStyle: one.tone ? { color: colour(one.tone) } : undefined,
    connectNulls: false,
  };
  if (at === 0 && content.lines?.length) {
    found.markLine = {
      symbol: "none",
      data: content.lines.map((mark) => ({ yAxis: mark.value, name: mark.name, lineStyle: { color: colour(mark.tone), type: "dashed" }, label: { formatter: mark.name, position: "insideEndTop", color: colour(mark.tone) } })),
    };
  }
  if (at === 0 && content.spans?.length) {
    found.markArea = {
      silent: true,
      data: content.spans.map((span) => [{ xAxis: span.from * 1000, name: span.name, itemStyle: { color: colour(`${span.tone}-wash`), opacity: 0.6 }, label: { color: colour(span.tone), position: "insideTop", fontSize: 10 } }, { xAxis: span.to * 1000 }]),
    };
  }
  return found;
}

function gauge(content) {
  return {
    animation: false,
    series: [{
      type: "gauge",
      min: content.min ?? 0,
      max: content.max ?? 100,
      startAngle: 210,
      endAngle: -30,
      radius: "95%",
      progress: { show: true, width: 12, itemStyle: { color: colour(content.tone ?? "accent") } },
      pointer: { show: false },
      axisLine: { lineStyle: { width: 12, color: [[1, colour("grey-wash")]] } },
      axisTick: { show: false },
      splitLine: { show: false },
      axisLabel: { show: false },
      detail: { valueAnimation: false, offsetCenter: [0, "5%"], fontSize: 24, color: colour("ink"), formatter: (value) => `${round(value)} ${content.unit ?? ""}` },
      data: content.value === null ? [] : [{ value: content.value }],
    }],
  };
}

function round(value) {
  return Math.round(value * 100) / 100;
}

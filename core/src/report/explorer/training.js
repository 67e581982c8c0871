function prepareTraining({ data }) {
  if (!data.training) {
    document.getElementById("training").remove();
    return () => {};
  }
  const { step: x, loss, accuracy, horizon } = data.training;
  return () => {
    const axis = (title) => ({ title: { text: title }, gridcolor: palette.line, zeroline: false });
    const line = (y, name, yaxis, color, dash) => ({ type: "scatter", mode: "lines", x, y, name, yaxis, line: { color, width: 1.8, dash }, hovertemplate: `${name} %{y:.4g}<extra>step %{x}</extra>` });
    const traces = [line(loss, "loss", "y", palette.minus), line(accuracy, "accuracy", "y2", palette.plus)];
    if (horizon) traces.push(line(horizon, "horizon", "y3", palette.soft, "dot"));
    Plotly.react(document.getElementById("curves"), traces, {
      ...plotLayout(), margin: { l: 62, r: 60, t: 24, b: 46 }, xaxis: axis("optimizer step"),
      yaxis: { ...axis("loss (log)"), type: "log", domain: [0, 0.47] },
      yaxis2: { ...axis("accuracy"), range: [0.4, 1.02], domain: [0.53, 1] },
      yaxis3: { ...axis("horizon"), overlaying: "y2", side: "right", showgrid: false },
      legend: { orientation: "h", x: 0, y: 1.1 },
    }, PLOT_CONFIG);
  };
}

// One run and one time, shared by everything that moves.

const player = {
  position: 0, playing: false, speed: 1, frames: 0, runListeners: [], timeListeners: [], last: 0,
  onRun(listener) { this.runListeners.push(listener); },
  onTime(listener) { this.timeListeners.push(listener); },
  get step() { return Math.floor(this.position + 1e-9); },
};
const STEPS_A_SECOND = 1.6;

function startPlayer(explorer) {
  const $ = (id) => document.getElementById(id);
  const slider = $("time"), play = $("play");
  slider.max = explorer.s + explorer.horizon;
  const tell = () => {
    const t = player.step, inside = t <= explorer.s;
    $("phase").value = t === 0 ? "before the input" : inside ? `input, step ${t} of ${explorer.s}` : `output, step ${t - explorer.s} of ${explorer.horizon}`;
    slider.setAttribute("aria-valuetext", $("phase").value);
  };
  const moved = () => {
    slider.value = player.step;
    tell();
    player.timeListeners.forEach((listener) => listener(player.position));
  };
  player.seek = (position) => {
    player.position = Math.max(0, Math.min(explorer.s + explorer.horizon, position));
    moved();
  };
  const setPlaying = (on) => {
    player.playing = on;
    play.textContent = on ? "❚❚" : "▶";
    play.setAttribute("aria-pressed", on);
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on) return player.seek(player.step);
    if (player.position >= explorer.s + explorer.horizon) player.position = 0;
    player.last = performance.now();
    requestAnimationFrame(tick);
  };
  const tick = (now) => {
    if (!player.playing) return;
    player.frames++;
    player.seek(player.position + Math.min(0.2, (now - player.last) / 1000) * STEPS_A_SECOND * player.speed);
    player.last = now;
    if (player.position >= explorer.s + explorer.horizon) return setPlaying(false);
    requestAnimationFrame(tick);
  };
  play.addEventListener("click", () => setPlaying(!player.playing));
  $("back").addEventListener("click", () => { setPlaying(false); player.seek(player.step - 1); });
  $("forward").addEventListener("click", () => { setPlaying(false); player.seek(player.step + 1); });
  slider.addEventListener("input", () => { if (player.playing) setPlaying(false); player.seek(Number(slider.value)); });
  $("speed").addEventListener("change", (event) => { player.speed = Number(event.target.value); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target !== document.body) return;
    event.preventDefault();
    setPlaying(!player.playing);
  });
  player.runListeners.push(moved);
}

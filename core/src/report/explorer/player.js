// One run and one time, shared by everything that moves.

const player = {
  position: 0, playing: false, speed: 1, frames: 0, runListeners: [], timeListeners: [], last: 0,
  onRun(listener) { this.runListeners.push(listener); },
  onTime(listener) { this.timeListeners.push(listener); },
  ran() { this.runListeners.forEach((listener) => listener()); },
  get step() { return Math.floor(this.position + 1e-9); },
};
const STEPS_A_SECOND = 1.6;
// The first time it plays by itself, and nobody should wait.
const AT_FIRST = 2.5;

// `clock` gives s (steps of input) and horizon (steps of output).
function startPlayer(clock) {
  const slider = byId("time"), play = byId("play"), last = clock.s + clock.horizon;
  slider.max = last;
  const moved = () => {
    const t = player.step, said = t === 0 ? "before the input" : t <= clock.s ? `input, step ${t} of ${clock.s}` : `output, step ${t - clock.s} of ${clock.horizon}`;
    slider.value = t;
    byId("phase").value = said;
    slider.setAttribute("aria-valuetext", said);
    player.timeListeners.forEach((listener) => listener(player.position));
  };
  player.seek = (position) => { player.position = Math.max(0, Math.min(last, position)); moved(); };
  player.set = (on, rate = 1) => {
    player.playing = on;
    player.rate = rate;
    play.textContent = on ? "❚❚" : "▶";
    play.setAttribute("aria-pressed", on);
    play.setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on) return player.seek(player.step);
    if (player.position >= last) player.position = 0;
    player.last = performance.now();
    requestAnimationFrame(tick);
  };
  const tick = (now) => {
    if (!player.playing) return;
    player.frames++;
    player.seek(player.position + Math.min(0.2, (now - player.last) / 1000) * STEPS_A_SECOND * player.speed * player.rate);
    player.last = now;
    if (player.position >= last) return player.set(false);
    requestAnimationFrame(tick);
  };
  const jump = (steps) => { player.set(false); player.seek(player.step + steps); };
  play.addEventListener("click", () => player.set(!player.playing));
  byId("back").addEventListener("click", () => jump(-1));
  byId("forward").addEventListener("click", () => jump(1));
  slider.addEventListener("input", () => { const at = Number(slider.value); if (player.playing) player.set(false); player.seek(at); });
  byId("speed").addEventListener("change", (event) => { player.speed = Number(event.target.value); });
  // Space plays and arrows step, wherever they do nothing else.
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest?.("input, select, textarea, [role=grid], [role=radiogroup], pre, .scrolls") || event.altKey || event.ctrlKey || event.metaKey;
    if (busy || event.defaultPrevented) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (steps) { event.preventDefault(); jump(steps); }
    if (event.key === " " && event.target === document.body) { event.preventDefault(); player.set(!player.playing); }
  });
  player.onRun(moved);
  // Plays once; still where motion is unwelcome: then the whole run is there to see.
  player.playOnce = () => { if (calm()) player.seek(last); else { player.seek(0); player.set(true, AT_FIRST); } };
}

// Grow: how large the book is, what it is doing, and what it could do next.

import * as api from "./api.js";
import { $, announce, bytes, discs, h, number, short, svg, toast } from "./dom.js";

const AGAIN = 1500;

export class Grow {
  constructor(app) {
    this.app = app;
  }

  async enter() {
    this.tiles = h("div", { class: "tiles" });
    this.layers = h("figure", { class: "chart" });
    this.more = h("div", { class: "more" });
    this.work = h("section", { class: "work", "aria-label": "Jobs" });
    $("#wide").replaceChildren(h("h1", { class: "opening" }, "The book"), this.tiles, this.layers, this.more, this.work);
    this.here = new AbortController();
    await this.#stats(this.here.signal);
  }

  leave() {
    this.here?.abort();
  }

  async #stats(signal) {
    const stats = await api.stats();
    if (signal.aborted) return;
    const counted = stats.counted;
    const tile = (value, name) => h("div", { class: "tile" }, h("strong", {}, value), h("span", {}, name));
    this.tiles.replaceChildren(
      tile(stats.positions == null ? "counting…" : short(stats.positions), "positions"),
      tile(stats.games == null ? "counting…" : short(stats.games), "games"),
      tile(bytes(stats.bytes), "on the disk"),
      tile(counted?.bytes_per_position ? counted.bytes_per_position.toFixed(1) : "…", "bytes a position"));
    if (counted) this.#counted(counted);
    if (stats.counting || !counted) setTimeout(() => signal.aborted || this.#stats(signal), AGAIN);
    if (this.work.childElementCount === 0) this.#jobs(stats, signal);
  }

  #counted({ gaps, layers, best_lines: lines, levels, origins, positions }) {
    this.layers.replaceChildren(h("figcaption", {}, "Positions by move; what has a value is filled"), columns(layers));
    const entries = Object.entries(levels).sort((a, b) => b[1] - a[1]).slice(0, 6);
    const names = { game: "from games", expansion: "by expansion", import: "imported" };
    const share = (value) => `${((100 * value) / Math.max(1, positions)).toFixed(value === positions ? 0 : 1)} %`;
    const list = (title, rows) => h("div", {}, h("h2", {}, title), h("dl", {}, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, `${number(value)}  (${share(value)})`)])));
    this.more.replaceChildren(
      list("Where they come from", Object.entries(origins).map(([origin, value]) => [names[origin], value]).filter(([, value]) => value > 0)),
      list("How hard they were searched", entries),
      h("div", {}, h("h2", {}, "The widest gaps"), gaps.length
        ? h("ol", { class: "best-lines", id: "gaps" }, gaps.map((gap) => h("li", {}, h("a", { class: "line", "data-inside": true, href: `./?moves=${gap.moves}`, title: gap.moves },
          gap.opening ? `${gap.opening}, move ${gap.moves.length / 2}` : gap.moves || "the start"), h("span", { class: "dim" }, `${number(gap.games)} games`))))
        : h("p", { class: "dim" }, "Every position that people reach has a value.")),
      h("div", {}, h("h2", {}, "The best lines"), lines.length
        ? h("ol", { class: "best-lines" }, lines.slice(0, 8).map((line) => h("li", {}, h("a", { class: "line", "data-inside": true, href: `./?moves=${line.moves}`, title: line.moves },
          line.opening ?? line.moves.slice(0, 20)), h("span", { class: "dim" }, `${discs(line.black_value, 2)} for Black`))))
        : h("p", { class: "dim" }, "No values reach the start yet.")));
  }

  #jobs(stats, signal) {
    if (!stats.writable) {
      this.work.replaceChildren(h("h2", {}, "Read only"), h("p", { class: "dim" }, "This server only reads its book. Started with a token (emilia serve --help), it learns games that are uploaded here, and grows."));
      return;
    }
    const token = sessionStorage.getItem("emilia.token");
    if (!token) return this.#askToken(stats, signal);
    this.list = h("ul", { class: "jobs", id: "jobs" });
    const input = h("input", { type: "file", id: "learn-file", class: "unseen", accept: ".wtb,.ggf,.sgf,.txt,.gz,.zst" });
    const drop = h("label", { class: "drop", for: "learn-file" }, h("span", {}, "Drop a file of games here, or ", h("u", {}, "choose one"), ", to learn it"));
    const send = async (file) => {
      const job = await api.learn(file, token);
      announce(`${job.about} is waiting to be learned.`);
    };
    input.addEventListener("change", () => input.files[0] && send(input.files[0]).catch((error) => toast(error.message)));
    const area = h("div", {}, input, drop);
    for (const name of ["dragover", "dragleave", "drop"]) {
      area.addEventListener(name, (event) => {
        event.preventDefault();
        drop.classList.toggle("over", name === "dragover");
        if (name === "drop" && event.dataTransfer.files[0]) send(event.dataTransfer.files[0]).catch((error) => toast(error.message));
      });
    }
    const from = h("input", { type: "text", id: "expand-from", autocomplete: "off", placeholder: "Grow from: moves, or empty for the start", "aria-label": "Moves to grow from" });
    const many = h("input", { type: "number", id: "expand-many", min: "1", max: "1000000", value: "100", "aria-label": "How many positions" });
    const form = h("form", { class: "paste grow-form" }, from, many, h("button", { type: "submit", id: "expand" }, "Grow"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      api.expand({ moves: from.value.trim(), positions: Number(many.value) }, token).catch((error) => toast(error.message));
    });
    const machines = h("section", { class: "machines", id: "machines", "aria-label": "Machines" });
    this.work.replaceChildren(h("h2", {}, "Jobs"), area, form, this.list, machines);
    this.#follow(token, stats, signal);
    if (stats.cluster) this.#machines(machines, token, signal);
  }

  #askToken(stats, signal) {
    const field = h("input", { type: "password", id: "token", autocomplete: "off", placeholder: "Token", "aria-label": "The server's token" });
    const form = h("form", { class: "paste" }, field, h("button", { type: "submit" }, "Unlock"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem("emilia.token", field.value.trim());
      this.#jobs(stats, signal);
    });
    this.work.replaceChildren(h("h2", {}, "Jobs"), h("p", { class: "dim" }, "With the server's token you can have it learn games and grow."), form);
  }

  async #follow(token, stats, signal) {
    let over = 0;
    try {
      await api.followJobs(token, signal, (jobs) => {
        this.list.replaceChildren(...jobs.map((job) => this.#job(job, token)));
        const ended = jobs.filter((job) => !["waiting", "running"].includes(job.state)).length;
        if (ended !== over) {
          over = ended;
          api.forget();
          this.#stats(signal);
        }
      });
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      if (error.status === 401) {
        sessionStorage.removeItem("emilia.token");
        toast("That is not the token.");
        this.#askToken(stats, signal);
      } else toast(error.message);
    }
  }

  // The machines that search for the book, looked at again and again.
  async #machines(place, token, signal) {
    while (!signal.aborted) {
      try {
        const { workers, queue, books, quarantined, dead } = await api.cluster(token, signal);
        const asking = books.find((book) => book.asking)?.figures;
        const head = ["Machine", "Threads", "Answered", "A second", ""].map((name) => h("th", { scope: "col" }, name));
        const row = (worker) => h("tr", { class: worker.alive ? "" : "dim" },
          h("th", { scope: "row" }, worker.name), h("td", {}, number(worker.threads)), h("td", {}, number(worker.answered)),
          h("td", {}, worker.rate.toFixed(1)), h("td", {}, worker.alive ? "" : `gone for ${short(Math.round(worker.silent))} s`));
        const facts = [`${number(queue.waiting)} parcels wait, ${number(queue.in_flight)} are being worked on`,
          asking && `${number(asking.answered)} questions answered, ${number(asking.open)} open, ${number(asking.delivered_again)} handed out again`,
          asking && asking.checked > 0 && `${number(asking.checked)} answers checked, ${number(asking.disagreements)} disagreements`,
          quarantined.length > 0 && `not believed: ${quarantined.map((one) => one.worker).join(", ")}`,
          dead.length > 0 && `${number(dead.length)} questions that nobody could answer`].filter(Boolean);
        place.replaceChildren(h("h2", {}, "Machines"),
          workers.length ? h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, workers.map(row)))
            : h("p", { class: "dim" }, "Nobody searches yet. On each machine: emilia worker --cluster URL"),
          h("ul", { class: "dim" }, facts.map((fact) => h("li", {}, fact))));
      } catch (error) {
        if (signal.aborted) return;
        place.replaceChildren(h("h2", {}, "Machines"), h("p", { class: "dim" }, error.message));
      }
      await new Promise((resolve) => setTimeout(resolve, 2 * AGAIN));
    }
  }

  #job(job, token) {
    const running = job.state === "running";
    const going = running || job.state === "waiting";
    return h("li", { class: `job ${job.state}` },
      h("span", { class: "what" }, h("b", {}, job.kind), ` ${job.about}`),
      h("span", { class: "dim" }, job.seconds == null ? job.state : `${job.state}, ${job.seconds.toFixed(1)} s`),
      going && h("button", { type: "button", class: "plain", onclick: () => api.stopJob(job.id, token) }, "Stop"),
      running && h("progress", job.total ? { max: String(job.total), value: String(Math.min(job.done, job.total)) } : {}),
      h("p", {}, job.message));
  }
}

function columns(layers) {
  const most = Math.max(1, ...layers.map((layer) => layer.positions));
  const width = 10;
  const height = 120;
  const bars = layers.flatMap((layer, place) => {
    const tall = (count) => (count === 0 ? 0 : Math.max(1, (count / most) * height));
    const title = svg("title");
    title.textContent = `Move ${layer.discs - 4}: ${number(layer.positions)} positions, ${number(layer.valued)} with a value, ${number(layer.exact)} proven; ${number(layer.games)} games follow the book so far`;
    const column = (count, kind) => svg("rect", { x: place * width + 1, width: width - 2, y: height - tall(count), height: tall(count), rx: 1.5, class: kind });
    return [svg("g", {}, title, column(layer.positions, "all"), column(layer.valued, "valued"), column(layer.exact, "exact"))];
  });
  return svg("svg", { viewBox: `0 0 ${Math.max(1, layers.length) * width} ${height}`, preserveAspectRatio: "none", class: "columns", role: "img", "aria-label": "Positions by number of moves" }, ...bars);
}

// What changes the book, for those who have the token: files to learn, growing from a position; what
// is being searched now, and the machines that search. The stream of jobs is taken up again when it
// breaks off.

import * as api from "./api.js";
import { announce, button, discs, h, number, short, tab, toast } from "./dom.js";
import { leftOff, pause } from "./errands.js";
import { allGames, dropPlace } from "./files.js";
import { ggf } from "./notation.js";
import { START, parseBoard, readMoves } from "./rules.js";
import { t } from "./texts.js";
import { Tree } from "./tree.js";
import { isTable, readNames } from "./wthor-names.js";

const AGAIN = 3000;
const GOING = ["waiting", "running"];

export class Jobs {
  /** @param {import("./errands.js").Errands} errands of the view @param {() => void} onchanged told when a job has ended */
  constructor(errands, onchanged) {
    this.errands = errands;
    this.onchanged = onchanged;
    this.element = h("section", { class: "work", "aria-label": t.jobs });
    this.shown = false;
    /** @type {ReturnType<typeof jobRow>[]} */
    this.rows = [];
    /** Offers to grow from somewhere, once there is a token. @type {((moves: string) => void) | null} */
    this.growFrom = null;
  }

  /** @param {Stats} stats */
  show(stats) {
    if (this.shown) return;
    this.shown = true;
    this.element.classList.toggle("last", !stats.writable);
    if (!stats.writable) return this.element.replaceChildren(h("h2", {}, t.readOnly), h("p", { class: "dim" }, t.readOnlyAbout));
    const token = tab.get("token", null);
    if (token) this.#work(stats, token);
    else this.#ask(stats);
  }

  /** @param {Stats} stats */
  #ask(stats) {
    const field = h("input", { type: "password", id: "token", autocomplete: "off", placeholder: t.token, "aria-label": t.tokenLabel });
    const form = h("form", { class: "paste", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const token = field.value.trim();
      // Others cannot even be sent.
      if (!/^[\x21-\x7e]+$/.test(token)) return toast(t.notTheToken);
      tab.set("token", token);
      this.#work(stats, token);
    } }, field, h("button", { type: "submit" }, t.unlock));
    this.growFrom = () => field.focus();
    this.element.replaceChildren(h("h2", {}, t.jobs), h("p", { class: "dim" }, t.tokenAbout), form);
  }

  /** @param {Stats} stats @param {string} token */
  #work(stats, token) {
    const complain = (/** @type {Error} */ error) => toast(error.message);
    const learn = async (/** @type {File[]} */ files) => {
      for (const file of await withTheirNames(files, this.errands.begin("names"))) {
        // One that is refused does not keep the others from being learned.
        const job = await api.learn(file, token).catch((error) => toast(`${file.name}: ${error.message}`));
        if (job) announce(t.waitsToBeLearned(job.about));
      }
    };
    const from = h("input", { type: "text", id: "expand-from", autocomplete: "off", placeholder: t.growFrom, "aria-label": t.growFromLabel });
    const many = h("input", { type: "number", id: "expand-many", min: "1", max: "1000000", value: "100", "aria-label": t.howMany });
    const form = h("form", { class: "paste grow-form", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      api.expand({ moves: from.value.trim(), positions: Number(many.value) }, token).catch(complain);
    } }, from, many, h("button", { type: "submit", id: "expand" }, t.grow));
    this.searching = h("div", { class: "searching", id: "searching", hidden: true });
    this.list = h("ul", { class: "jobs", id: "jobs" });
    const machines = h("section", { class: "machines", id: "machines", "aria-label": t.machines });
    this.growFrom = (moves) => {
      from.value = moves;
      from.focus();
    };
    this.element.replaceChildren(h("h2", {}, t.jobs), dropPlace("learn-file", t.dropToLearn, (files) => learn(files).catch(complain)), form, this.searching, this.list, machines);
    this.#follow(stats, token, this.errands.begin("jobs"));
    if (stats.cluster) this.#machines(machines, token, this.errands.begin("machines"));
  }

  /** Follows the jobs; a stream that ends or breaks off is taken up again. @param {Stats} stats @param {string} token @param {AbortSignal} signal */
  async #follow(stats, token, signal) {
    let ended = 0;
    while (!signal.aborted) {
      try {
        await api.followJobs(token, signal, (jobs) => {
          this.#jobs(jobs, token);
          const over = jobs.filter((job) => !GOING.includes(job.state)).length;
          if (over !== ended) this.onchanged();
          ended = over;
        });
      } catch (error) {
        if (leftOff(error) || signal.aborted) return;
        if (/** @type {api.ApiError} */ (error).status === 401) {
          tab.set("token", null);
          toast(t.notTheToken);
          return this.#ask(stats);
        }
      }
      await pause(AGAIN, signal).catch(() => null);
    }
  }

  /** @param {Job[]} jobs @param {string} token */
  #jobs(jobs, token) {
    // A row stays what it is while its job goes on: whoever is about to press its button can.
    this.rows = jobs.map((job) => {
      const row = this.rows.find((one) => one.id === job.id && one.state === job.state && one.resumable === job.resumable) ?? jobRow(job, token);
      row.tell(job);
      return row;
    });
    const elements = this.rows.map(({ element }) => element);
    if (elements.some((element, at) => this.list.children[at] !== element)) this.list.replaceChildren(...elements);
    const searched = jobs.find((job) => job.state === "running")?.searching ?? [];
    this.searching.hidden = searched.length === 0;
    if (searched.length > 0) this.searching.replaceChildren(h("h3", {}, t.searchingNow), searchTree(searched));
  }

  /** The machines that search for the book, looked at again and again. @param {HTMLElement} place @param {string} token @param {AbortSignal} signal */
  async #machines(place, token, signal) {
    while (!signal.aborted) {
      try {
        place.replaceChildren(h("h2", {}, t.machines), ...machineTable(await api.cluster(token, signal)));
      } catch (error) {
        if (leftOff(error)) return;
        place.replaceChildren(h("h2", {}, t.machines), h("p", { class: "dim" }, /** @type {Error} */ (error).message));
      }
      await pause(AGAIN, signal).catch(() => null);
    }
  }
}

/** Files to learn. WTHOR's games that come with tables of names are sent as GGF, which has names in it. @param {File[]} files @param {AbortSignal} signal */
async function withTheirNames(files, signal) {
  const names = await readNames(files.filter(isTable));
  const named = names.players.length + names.events.length > 0;
  return Promise.all(files.filter((file) => !isTable(file)).map(async (file) => {
    if (!named || !/\.wtb$/i.test(file.name)) return file;
    const { games } = await allGames(file, names, signal, () => undefined);
    const texts = games.map((game) => {
      const tree = Tree.ofLine(game.moves, game.start ?? START);
      return ggf(tree, tree.root, game);
    });
    return new File(texts, file.name.replace(/\.wtb$/i, ".ggf"));
  }));
}

/** @param {Job} first @param {string} token */
function jobRow({ id, kind, about, state, resumable }, token) {
  const complain = (/** @type {Error} */ error) => toast(error.message);
  const time = h("span", { class: "dim" });
  const progress = state === "running" && h("progress", { "aria-label": t.progress });
  const message = h("p", {});
  const element = h("li", { class: `job ${state}`, "data-job": id },
    h("span", { class: "what" }, h("b", {}, t.jobKind(kind)), ` ${about}`), time,
    GOING.includes(state) && button(t.stop, () => api.stopJob(id, token).catch(complain), { "data-stop": id }),
    resumable && button(t.resume, () => api.resumeJob(id, token).catch(complain), { "data-resume": id }),
    progress, message);
  /** @param {Job} job */
  const tell = (job) => {
    time.textContent = job.seconds == null ? t.jobState(state) : `${t.jobState(state)}, ${job.seconds.toFixed(1)} s`;
    message.textContent = job.message;
    if (!progress || job.total == null) return progress && progress.removeAttribute("value");
    progress.max = job.total;
    progress.value = Math.min(job.done, job.total);
  };
  return { id, state, resumable, element, tell };
}

/** What is being searched now, as the tree it is part of. @param {Job["searching"]} searched */
function searchTree(searched) {
  const tree = new Tree();
  const values = new Map(searched.map(({ moves, value }) => [moves, value]));
  for (const { moves } of searched) tree.addLine(tree.root, readMoves(parseBoard(START), moves).line);
  /** @param {import("./tree.js").Node} node @returns {HTMLElement} */
  const branch = (node) => {
    // A row of only children is one step.
    let end = node;
    while (end.children.length === 1 && !values.has(end.moves())) end = end.children[0];
    const value = values.get(end.moves());
    const name = end.path().slice(node.parent ? node.parent.ply + 1 : 1).map(({ move }) => move).join(" ") || t.theStart;
    return h("li", {}, h("a", { "data-inside": true, href: `./?moves=${end.moves()}`, class: values.has(end.moves()) ? "leaf" : "" }, name),
      value != null && h("b", {}, discs(value, 2)),
      end.children.length > 0 && h("ul", {}, end.children.map(branch)));
  };
  return h("ul", { class: "search-tree" }, branch(tree.root));
}

/** @param {Cluster} cluster */
function machineTable({ workers, queue, books, quarantined, dead }) {
  const asking = books.find((book) => book.asking)?.figures;
  const head = [t.machine, t.threads, t.answered, t.aSecond, ""].map((name) => h("th", { scope: "col" }, name));
  const row = (/** @type {Cluster["workers"][number]} */ worker) => h("tr", { class: worker.alive ? "" : "dim" },
    h("th", { scope: "row" }, worker.name), h("td", {}, number(worker.threads)), h("td", {}, number(worker.answered)),
    h("td", {}, worker.rate.toFixed(1)), h("td", {}, worker.alive ? "" : t.goneFor(short(Math.round(worker.silent)))));
  const facts = [
    t.parcels(number(queue.waiting), number(queue.in_flight)),
    asking && t.questions(number(asking.answered), number(asking.open), number(asking.delivered_again)),
    asking && asking.checked > 0 && t.checkedAnswers(number(asking.checked), number(asking.disagreements)),
    quarantined.length > 0 && t.notBelieved(quarantined.map((one) => one.worker).join(", ")),
    dead.length > 0 && t.unanswered(number(dead.length)),
  ].filter(Boolean);
  return [
    workers.length ? h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, workers.map(row))) : h("p", { class: "dim" }, t.nobodySearches),
    h("ul", { class: "dim" }, facts.map((fact) => h("li", {}, fact))),
  ];
}

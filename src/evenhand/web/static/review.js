"use strict";
// The review form: saves as one goes, quotes what is selected, and takes single keys. Without it the form works as well.
(() => {
  const form = document.getElementById("review");
  const work = document.getElementById("work");
  const state = document.getElementById("state");
  if (!form || !work || !window.fetch) return;
  const version = form.elements.version;
  const parts = [...form.querySelectorAll("[data-part]")];
  form.classList.add("scripted");

  // --- the current part: a dimension, a red flag or a bonus
  let current = null;
  function choose(part, focus) {
    if (!part) return;
    if (current !== part) {
      const top = part.getBoundingClientRect().top;
      current?.classList.remove("current");
      current = part;
      part.classList.add("current");
      window.scrollBy(0, part.getBoundingClientRect().top - top);  // it stays where it is while others fold
    }
    if (focus) {
      const input = part.querySelector("input:checked") || part.querySelector("input");
      input.focus({ preventScroll: true });
      part.scrollIntoView({ block: "nearest" });
    }
  }
  const step = (by) => choose(parts[Math.max(0, Math.min(parts.length - 1, parts.indexOf(current) + by))], true);
  // While a button of the mouse is down nothing may move, or the click would land elsewhere.
  let pressed = false, waiting = null;
  document.addEventListener("pointerdown", () => { pressed = true; });
  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, () => setTimeout(() => {
      pressed = false;
      choose(waiting);
      waiting = null;
    }));
  }
  form.addEventListener("focusin", (event) => {
    const part = event.target.closest("[data-part]");
    if (pressed) waiting = part;
    else choose(part);
  });

  function show(part) {
    const score = Number(part.querySelector(".scores :checked")?.value);
    for (const band of part.querySelectorAll(".bands > div")) {
      band.classList.toggle("match", score >= Number(band.dataset.low) && score <= Number(band.dataset.high));
    }
    part.classList.toggle("filled", [...part.querySelectorAll("textarea")].some((area) => area.value.trim()));
  }
  parts.forEach(show);

  // --- saving
  let timer = 0, saving = null, changed = false, stopped = false, failures = 0;
  const say = (text, bad) => { state.textContent = text; state.className = bad ? "small bad" : "small"; };
  const later = (seconds) => { clearTimeout(timer); timer = setTimeout(save, 1000 * seconds); };
  const body = () => new URLSearchParams(new FormData(form));

  function save() {
    clearTimeout(timer);
    if (stopped || saving) return saving;
    changed = false;
    saving = send().finally(() => { saving = null; if (changed && !failures) later(0.5); });
    return saving;
  }

  async function send() {
    say("Saving…");
    let answer;
    try {
      answer = await fetch(form.action, { method: "POST", headers: { Accept: "application/json" }, body: body() });
    } catch {
      return retry("The server does not answer");
    }
    let reply = {};
    try { reply = await answer.json(); } catch { /* no JSON: handled by its status */ }
    if (answer.status === 409) return conflict(reply);
    if (answer.status >= 500 || answer.status === 429) return retry(reply.error || "The server cannot save now");
    if (!answer.ok) {
      stopped = answer.status === 401 || answer.status === 403;
      changed = true;
      return say(`Not saved: ${reply.error || answer.status} ${reply.advice || ""}`, true);
    }
    failures = 0;
    version.value = reply.version;
    for (const line of form.querySelectorAll("[data-checks]")) tick(line, reply.quotes[line.dataset.checks] || []);
    const missing = Object.values(reply.quotes).flat().filter((there) => !there).length;
    say(`Saved, version ${reply.version}.${missing ? ` Quotes not in the text: ${missing}.` : ""}`);
  }

  function retry(why) {
    failures += 1;
    changed = true;
    const seconds = Math.min(30, 2 ** failures);
    say(`Not saved: ${why}. What you entered is still here; trying again in ${seconds} seconds.`, true);
    later(seconds);
  }

  function tick(line, found) {
    line.replaceChildren(...found.flatMap((there, place) => {
      const mark = document.createElement("span");
      mark.className = there ? "good" : "bad";
      mark.textContent = `quote ${place + 1} ${there ? "found" : "is not in the text"}`;
      return [mark, " "];
    }));
  }

  // Another tab saved this draft: nothing is overwritten until the reviewer says which one to keep.
  function conflict(reply) {
    stopped = true;
    changed = true;
    say("Not saved: this review was changed elsewhere.", true);
    const box = document.createElement("div");
    box.className = "notice conflict";
    box.setAttribute("role", "alert");
    const text = document.createElement("p");
    text.textContent = reply.error || "This review was saved elsewhere since.";
    const actions = document.createElement("p");
    actions.className = "actions";
    const other = document.createElement("a");
    other.href = form.action;
    other.className = "button";
    other.textContent = reply.decided ? "See the decision" : "Open the other version";
    other.addEventListener("click", () => { changed = false; });
    actions.append(other);
    if (!reply.decided) {
      const mine = document.createElement("button");
      mine.type = "button";
      mine.textContent = "Keep what is here";
      mine.addEventListener("click", () => {
        version.value = reply.version;
        stopped = false;
        box.remove();
        save();
      });
      actions.append(mine);
    }
    box.append(text, actions);
    document.querySelector(".notice.conflict")?.remove();
    document.querySelector(".desk").before(box);
    box.scrollIntoView({ block: "nearest" });
  }

  form.addEventListener("input", (event) => {
    if (event.target.id === "single-keys") return;
    const part = event.target.closest("[data-part]");
    if (part) show(part);
    changed = true;
    if (!failures) later(0.8);
  });
  let leaving = false;
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    if (saving) {  // a save on its way would make this one look old
      event.preventDefault();
      const button = event.submitter;
      saving.then(() => { if (!stopped) form.requestSubmit(button); });
      return;
    }
    leaving = true;
  });
  window.addEventListener("beforeunload", (event) => { if (changed && !leaving) event.preventDefault(); });
  window.addEventListener("pageshow", () => { leaving = false; });
  document.addEventListener("visibilitychange", () => { if (document.hidden && changed && !stopped) save(); });

  // --- quoting what is selected in the work
  const selection = window.getSelection();
  const notJudged = [...work.querySelectorAll(".task")];  // the task and the reference are not what is judged
  function selected() {
    if (!selection.rangeCount) return "";
    const place = selection.getRangeAt(0).commonAncestorContainer;
    if (!work.contains(place) || notJudged.some((other) => other.contains(place))) return "";
    return selection.toString().replace(/\s+/g, " ").trim();
  }

  function quote() {
    const text = selected();
    if (!text) return say("Select a passage of the output first (t goes there), then press q.", true);
    const area = (current || parts[0]).querySelector("textarea[data-quotes]");
    const box = current?.querySelector("input[type=checkbox]");
    if (box) box.checked = true;
    const lines = area.value.split("\n").filter((line) => line.trim());
    if (!lines.includes(text)) lines.push(text);
    area.value = lines.join("\n");
    area.rows = Math.max(2, Math.min(8, lines.length + 1));
    area.dispatchEvent(new Event("input", { bubbles: true }));
    say(`Quoted for ${area.dataset.quotes}.`);
  }

  const button = document.createElement("button");
  button.type = "button";
  button.className = "quote";
  button.textContent = "Quote selection";
  button.addEventListener("mousedown", (event) => event.preventDefault());  // keeps the selection
  button.addEventListener("click", quote);
  document.querySelector(".finish").insertBefore(button, state.nextSibling);

  // --- choosing lines of the work by keys
  const lines = () => [...work.querySelectorAll(".lines > li, .event .flow")].filter((line) => line.textContent.trim());
  let first = 0, last = 0;
  function select(all) {
    const [from, to] = [Math.min(first, last), Math.max(first, last)];
    selection.setBaseAndExtent(all[from], 0, all[to], all[to].childNodes.length);
    all[last].scrollIntoView({ block: "nearest" });
  }
  function inWork(event) {
    const all = lines();
    if (!all.length) return false;
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (down) {
      const fresh = !selected();
      last = fresh && !event.shiftKey ? Math.min(last, all.length - 1) : Math.max(0, Math.min(all.length - 1, last + down));
      if (!event.shiftKey) first = last;
      select(all);
      return true;
    }
    const way = { ArrowRight: "forward", ArrowLeft: "backward" }[event.key];
    if (way && event.shiftKey && selected()) {
      selection.modify("extend", way, "word");
      return true;
    }
    return false;
  }

  // --- keys
  const single = document.getElementById("single-keys");
  try { single.checked = localStorage.getItem("evenhand-single-keys") !== "no"; } catch { /* not allowed to remember */ }
  single.addEventListener("change", () => {
    try { localStorage.setItem("evenhand-single-keys", single.checked ? "yes" : "no"); } catch { /* as above */ }
  });
  const typing = (target) => target.matches("textarea, select, input:not([type=radio]):not([type=checkbox])");

  function score(value) {
    const input = current?.querySelector(`.scores input[value="${value}"]`);
    if (!input) return;
    input.checked = true;
    input.focus({ preventScroll: true });
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const keys = {
    j: () => step(1), k: () => step(-1), q: quote, u: () => score("unscored"),
    t: () => work.focus(),
    w: () => { current?.querySelector(".more textarea")?.focus(); },
    "?": () => { const help = form.querySelector(".keys"); help.open = !help.open; },
  };
  for (let digit = 0; digit <= 9; digit += 1) keys[digit] = () => score(digit || 10);

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return form.requestSubmit(form.querySelector("button[value=decide]"));
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (typing(event.target) || event.target === work)) return choose(current, true);
    if (typing(event.target)) return;
    if (event.target === work && inWork(event)) return event.preventDefault();
    if (single.checked && keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  const open = parts.find((part) => part.querySelector(".scores") && !part.querySelector(".scores :checked")) || parts[0];
  choose(open);
  const wide = window.matchMedia("(min-width: 64rem)").matches;  // on a phone the text comes first
  if (wide && !document.querySelector(".notice")) open.querySelector("input").focus({ preventScroll: true });
})();

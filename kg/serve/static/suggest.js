// Suggestions below the fields that ask for a name. Without this script they are plain fields
// whose form leads to a page with the same.
//
// A field with data-suggest="person" takes the name that is chosen; any other, the search,
// goes to its page at once. "/" leads to the search from anywhere on a page.
"use strict";

function suggest(field, number) {
  const kind = field.dataset.suggest;
  const list = document.createElement("ul");
  list.id = `suggestions-${number}`;
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  field.after(list);
  field.parentElement.classList.add("suggesting");
  const roles = {
    role: "combobox",
    autocomplete: "off",
    "aria-autocomplete": "list",
    "aria-controls": list.id,
    "aria-expanded": "false",
  };
  for (const [name, value] of Object.entries(roles)) field.setAttribute(name, value);

  let waiting, asking, chosen = -1;

  function choose(at) {
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = at;
    const option = list.children[at];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  }

  function show(hits) {
    choose(-1);
    list.replaceChildren(
      ...hits.map((hit, at) => {
        const option = document.createElement("li");
        option.id = `${list.id}-${at}`;
        option.setAttribute("role", "option");
        option.setAttribute("aria-selected", "false");
        const name = document.createElement("bdi");
        name.textContent = hit.label;
        const note = document.createElement("small");
        const other = hit.name === hit.label ? "" : `also ${hit.name}`;
        note.textContent = [kind ? "" : hit.kind, other, hit.note].filter(Boolean).join(" · ");
        option.append(name, " ", note);
        option.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus
        option.addEventListener("click", () => take(hit));
        option.hit = hit;
        return option;
      }),
    );
    list.hidden = !hits.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
  }

  function hide() {
    clearTimeout(waiting);
    asking?.abort();
    show([]);
  }

  function take(hit) {
    hide();
    if (kind) field.value = hit.label;
    else location.assign(hit.href);
  }

  async function ask() {
    asking?.abort();
    asking = new AbortController();
    const text = field.value.trim();
    if (!text) return show([]);
    const wanted = new URLSearchParams({ q: text, limit: kind ? 8 : 4 });
    if (kind && kind !== "thing") wanted.set("kind", kind);
    try {
      const answer = await fetch(`/search.json?${wanted}`, { signal: asking.signal });
      if (answer.ok && document.activeElement === field) show((await answer.json()).hits);
    } catch (error) {
      if (error.name !== "AbortError") show([]);
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 100);
  });
  field.addEventListener("blur", hide);
  field.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (event.isComposing) return;
    if (event.key === "ArrowDown" && !count) ask();
    else if (event.key === "ArrowDown" && count) choose(chosen + 1 < count ? chosen + 1 : -1);
    else if (event.key === "ArrowUp" && count) choose(chosen < 0 ? count - 1 : chosen - 1);
    else if (event.key === "Escape" && count) hide();
    else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen].hit);
    else return;
    event.preventDefault();
  });
}

document.querySelectorAll("input[type=search], input[data-suggest]").forEach(suggest);

document.addEventListener("keydown", (event) => {
  const place = event.target;
  const writing = place.isContentEditable || /^(input|textarea|select)$/i.test(place.tagName) || place.shadowRoot;
  if (event.key !== "/" || writing || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector("input[type=search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// What only the editor can do is said where the editor has taken the place of the text field.
const keys = document.getElementById("keys");
const plain = document.getElementById("query");
if (keys && plain) {
  new MutationObserver(() => { keys.hidden = !plain.hidden; }).observe(plain, { attributeFilter: ["hidden"] });
}

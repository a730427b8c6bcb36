// The editor of the query page. It takes the place of the text field of the form and writes
// through to it, so that the form is sent as it would be without.
//
// It lives in a shadow tree: there CodeMirror's styles are constructed sheets, which a strict
// Content-Security-Policy lets through without exceptions.
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  HighlightStyle,
  StreamLanguage,
  bracketMatching,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { sparql } from "@codemirror/legacy-modes/mode/sparql";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const KEYWORDS =
  "SELECT DISTINCT CONSTRUCT DESCRIBE ASK WHERE FILTER OPTIONAL UNION MINUS VALUES BIND AS UNDEF " +
  "PREFIX BASE FROM NAMED GRAPH EXISTS IN NOT HAVING LIMIT OFFSET ASC DESC COUNT SUM MIN MAX AVG " +
  "SAMPLE GROUP_CONCAT STR LANG LANGMATCHES DATATYPE BOUND IRI CONTAINS STRSTARTS STRENDS STRLEN " +
  "SUBSTR UCASE LCASE REPLACE REGEX CONCAT COALESCE IF ABS ROUND CEIL FLOOR YEAR MONTH DAY NOW";

const SNIPPETS = [
  snippetCompletion("SELECT ${?thing}\nWHERE {\n  ${?thing} ${}\n}\nLIMIT 100", {
    label: "SELECT … WHERE",
    type: "text",
  }),
  snippetCompletion("GROUP BY ${?thing}", { label: "GROUP BY", type: "keyword" }),
  snippetCompletion("ORDER BY ${?thing}", { label: "ORDER BY", type: "keyword" }),
  snippetCompletion("ORDER BY DESC(${?n})", { label: "ORDER BY DESC(…)", type: "keyword" }),
  snippetCompletion("OPTIONAL { ${} }", { label: "OPTIONAL { … }", type: "keyword" }),
  snippetCompletion("(COUNT(DISTINCT ${?x}) AS ${?n})", { label: "COUNT(DISTINCT …)", type: "function" }),
];

const LOCAL = /^[\w\u00c0-\uffdc]+(?:[-.]+[\w\u00c0-\uffdc]+)*$/; // needs no escapes

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.standard(tags.name), color: "var(--code-keyword)" },
  { tag: tags.local(tags.variableName), color: "var(--code-variable)" },
  { tag: tags.atom, color: "var(--code-name)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-string)" },
  { tag: tags.meta, color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.operator, color: "var(--ink)" },
]);

const look = EditorView.theme({
  "&": {
    color: "var(--ink)",
    backgroundColor: "transparent",
    border: "1px solid var(--line)",
    borderRadius: "4px",
    fontSize: "0.9rem",
  },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "-1px" },
  ".cm-scroller": {
    fontFamily: "ui-monospace, monospace",
    lineHeight: "1.45",
    minHeight: "9rem",
    maxHeight: "70vh",
    overflow: "auto",
  },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.5rem 0" },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--soft)", border: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--code-selection)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--soft)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--paper)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "ui-monospace, monospace", maxHeight: "14rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--code-selection)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal" },
  // CodeMirror draws its line with an image in a data: address, which our policy stops.
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad)",
    textUnderlineOffset: "0.2em",
  },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
});

/** Completions for what stands before the cursor. */
function completing(vocabulary) {
  const prefixes = Object.entries(vocabulary.prefixes);

  function declaration(state, prefix) {
    const text = state.doc.toString();
    if (new RegExp(`^\\s*PREFIX\\s+${prefix}:`, "im").test(text)) return [];
    const declared = [...text.matchAll(/^\s*(?:PREFIX|BASE)\b.*$/gim)].pop();
    const at = declared ? declared.index + declared[0].length : 0;
    const line = `PREFIX ${prefix}: <${vocabulary.prefixes[prefix]}>`;
    return [{ from: at, insert: declared ? `\n${line}` : `${line}\n` }];
  }

  // Other endpoints do not know our prefixes: a name that is chosen brings its declaration.
  function named(prefix, local) {
    return (view, completion, from, to) => {
      const text = LOCAL.test(local) || !local ? `${prefix}:${local}` : `<${vocabulary.prefixes[prefix]}${local}>`;
      const head = text.startsWith("<") ? [] : declaration(view.state, prefix);
      const shift = head.reduce((sum, change) => sum + change.insert.length, 0);
      view.dispatch({
        changes: [...head, { from, to, insert: text }],
        selection: { anchor: from + shift + text.length },
        userEvent: "input.complete",
      });
    };
  }

  async function things(context, prefix, local) {
    const kind = { concept: "concept", person: "person", paper: "paper" }[prefix];
    if (!kind || !local) return null;
    const abort = new AbortController();
    context.addEventListener("abort", () => abort.abort());
    try {
      const words = encodeURIComponent(local.replaceAll("-", " "));
      const answer = await fetch(`/search.json?q=${words}&kind=${kind}&limit=12`, { signal: abort.signal });
      const base = vocabulary.prefixes[prefix];
      return (await answer.json()).hits
        .filter((hit) => hit.iri.startsWith(base))
        .map((hit) => ({ label: hit.label, type: "text", apply: named(prefix, hit.iri.slice(base.length)) }));
    } catch {
      return null;
    }
  }

  return async (context) => {
    let before = context.matchBefore(/\bPREFIX\s+[\w-]*$/i);
    if (before) {
      const from = before.to - before.text.match(/[\w-]*$/)[0].length;
      return {
        from,
        options: prefixes.map(([name, iri]) => ({ label: `${name}: <${iri}>`, type: "namespace" })),
        validFor: /^[\w-]*$/,
      };
    }
    before = context.matchBefore(/[?$]\w*$/);
    if (before) {
      const names = new Set(context.state.doc.toString().match(/[?$]\w+/g) ?? []);
      names.delete(before.text);
      return { from: before.from, options: [...names].map((label) => ({ label, type: "variable" })) };
    }
    before = context.matchBefore(/[a-z][\w-]*:[^\s<>"{}()[\],;]*$/i);
    if (before) {
      const [, prefix, local] = before.text.match(/^([\w-]+):(.*)$/s);
      if (!(prefix in vocabulary.prefixes)) return null;
      const found = await things(context, prefix, local);
      if (found) return { from: before.from, options: found, filter: false };
      const options = vocabulary.terms
        .filter((term) => term.name.startsWith(`${prefix}:`))
        .map((term) => ({
          label: term.name,
          detail: term.label,
          type: term.kind,
          apply: named(prefix, term.name.slice(prefix.length + 1)),
        }));
      return options.length ? { from: before.from, options, validFor: /^[\w-]+:[\w.-]*$/ } : null;
    }
    before = context.matchBefore(/[A-Za-z_]\w*$/);
    if (!before && !context.explicit) return null;
    return {
      from: before ? before.from : context.pos,
      options: [
        ...KEYWORDS.split(" ").map((label) => ({ label, type: "keyword" })),
        ...SNIPPETS,
        ...prefixes.map(([name]) => ({ label: `${name}:`, type: "namespace", boost: -1 })),
      ],
      validFor: /^\w*$/,
    };
  };
}

/** Marks the place that the server could not read. */
function mark(view, problem) {
  const line = Number(problem.dataset.line);
  if (!line || line > view.state.doc.lines) return;
  const { from, to, text } = view.state.doc.line(line);
  const at = Math.min(from + Number(problem.dataset.column) - 1, to);
  const length = text.slice(at - from).match(/^[^\s{}()]*/)[0].length || 1;
  view.dispatch(
    setDiagnostics(view.state, [
      { from: at, to: Math.min(at + length, view.state.doc.length), severity: "error", message: problem.dataset.what },
    ]),
    { selection: { anchor: at }, scrollIntoView: true },
  );
}

async function start() {
  const field = document.getElementById("query");
  if (!field?.form || !("adoptedStyleSheets" in Document.prototype)) return;
  const vocabulary = await (await fetch("/query/terms.json")).json();
  const place = document.createElement("div");
  place.className = "editor";
  field.after(place);
  const shadow = place.attachShadow({ mode: "open" });
  const view = new EditorView({
    root: shadow,
    parent: shadow,
    state: EditorState.create({
      doc: field.value,
      extensions: [
        StreamLanguage.define(sparql),
        syntaxHighlighting(colours),
        look,
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        indentUnit.of("  "),
        EditorView.lineWrapping,
        placeholder(field.placeholder),
        EditorView.contentAttributes.of({
          "aria-label": "SPARQL query",
          autocapitalize: "off",
          autocorrect: "off",
          spellcheck: "false",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) field.value = update.state.doc.toString();
        }),
        autocompletion({ override: [completing(vocabulary)] }),
        keymap.of([
          {
            key: "Mod-Enter",
            run: () => {
              field.form.requestSubmit();
              return true;
            },
          },
          { key: "Tab", run: acceptCompletion }, // else Tab goes on to the button, as everywhere
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
      ],
    }),
  });
  field.hidden = true;
  field.required = false; // a hidden field cannot say that it is empty
  const problem = document.querySelector("[data-line]");
  if (problem) mark(view, problem);
  if (field.autofocus) view.focus();
}

start();

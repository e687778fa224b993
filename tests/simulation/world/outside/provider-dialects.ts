import { corpusAnswer } from "./corpus-dialect.ts";

/** How a provider of the world spells what it says. Each is put together from answers of real panels in tests/panels. */
export const DIALECT_NAMES = ["plain", "singles", "lists", "wrapped", "formatted", "corpus"] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** The state of an order as the provider knows it. What it would not say is undefined, and `null` may be said. */
export type OrderState = {
  status: string;
  remains: unknown;
  startCount: unknown;
  /** In units of the currency. */
  charge: number;
  /** Orders that a subscription made. */
  orders?: string[];
};

/** What a provider says, before it is spelled. Null in place of a state: it doesn't know the id. */
export type Said =
  | { kind: "refusal"; about: "key" | "funds" | "pace" | "call"; text: string }
  | { kind: "order"; id: string | number }
  | { kind: "refill"; id: string | number }
  | { kind: "states"; isList: boolean; entries: (readonly [string, OrderState | null])[] }
  | { kind: "refill_states"; isList: boolean; entries: (readonly [string, string | null])[] }
  | { kind: "cancels"; isList: boolean; entries: (readonly [string, boolean])[] }
  | { kind: "balance"; amount: number }
  | { kind: "catalog"; services: object[] };

export type Spelled = { status: number; body: unknown; headers?: Record<string, string> };
export type Dialect = {
  /** Takes several ids at once. Otherwise it asks for the parameter for one. */
  takesLists: boolean;
  /** States what a canceled order would have cost. */
  keepsCharge?: true;
  /** `call`: what it answers. */
  spell: (said: Said, call: string) => Spelled;
};

export function refusal(text: string, about: (Said & { kind: "refusal" })["about"] = "call"): Said {
  return { kind: "refusal", about, text };
}

export const TOO_MANY = refusal("Too many requests", "pace");

/** The ids that a call is about. `isList`: it asked by the parameter for several. */
export type AskedIds = { given: string[]; isList: boolean };

/** Returns the ids of a call, or a refusal that names the parameter that the provider misses. */
export function idsIn(params: URLSearchParams, one: string, { takesLists }: Dialect): AskedIds | string {
  const several = takesLists ? params.get(`${one}s`) : null;
  const alone = params.get(one);
  if (several === null && alone === null && !takesLists) return `The ${one} field is required.`;
  return { given: (several ?? alone ?? "").split(","), isList: several !== null };
}

const NO_ORDER = "Incorrect order ID";
const NO_REFILL = "Refill not found";
const NO_CANCEL = "Order cannot be canceled";

/** Takes one id a call, and explains refusals beside an HTTP status, as frameworks for web APIs do. */
const SINGLES: Dialect = {
  takesLists: false,
  spell: (said) => {
    switch (said.kind) {
      case "refusal":
        return { status: REFUSED_WITH[said.about], body: { error: said.text } };
      case "states":
        return only(said.entries, (state) => state && entryOf(state), NO_ORDER);
      case "refill_states":
        return only(said.entries, (status, refill) => status && { refill: numberIn(refill), status }, NO_REFILL);
      case "cancels":
        return only(said.entries, (done) => done && { cancel: 1 }, NO_CANCEL);
      default:
        return spellPlainly(said);
    }
  },
};

export const DIALECTS: Record<DialectName, Dialect> = {
  /** The convention as most panels document it. Such a panel goes on to state what a canceled order cost. */
  plain: {
    takesLists: true,
    keepsCharge: true,
    spell: (said) => {
      switch (said.kind) {
        case "states":
          return byId(said, (state) => (state ? { ...entryOf(state), charge: "0.5" } : { error: NO_ORDER }));
        case "refill_states":
          return listOf(said, (id, status) => ({ refill: numberIn(id), status: status ?? { error: NO_REFILL } }));
        case "cancels":
          return ok(said.entries.map(([order, done]) => ({ order, cancel: done ? 1 : { error: NO_CANCEL } })));
        default:
          return spellPlainly(said);
      }
    },
  },
  singles: SINGLES,
  /** Lists objects that name their ids, writes numbers as texts and words in its own way, behind a notice of PHP. */
  lists: {
    takesLists: true,
    spell: (said) => {
      switch (said.kind) {
        case "states":
          return noticed(
            said.entries.map(([order, state]) => {
              if (!state) return { order, error: NO_ORDER };
              const entry = entryOf(state, WORDS_OF_LISTS);
              return { order, ...entry, remains: textOf(entry.remains), charge: String(state.charge) };
            }),
          );
        case "refill_states":
          return noticed(
            said.entries.map(([refill, status]) =>
              status ? { refill, status: respelled(status, WORDS_OF_LISTS) } : { refill, error: NO_REFILL },
            ),
          );
        case "cancels":
          return noticed(
            said.entries.map(([order, done]) => ({ order, cancel: done ? `9${order}` : { error: NO_CANCEL } })),
          );
        case "order":
          return noticed({ order: String(said.id) });
        case "refill":
          return noticed({ refill: String(said.id) });
        default: {
          const { status, body } = spellPlainly(said);
          return { ...noticed(body), status };
        }
      }
    },
  },
  /** Says of each call whether it succeeded, and puts its answer inside. */
  wrapped: {
    takesLists: true,
    spell: (said) => {
      switch (said.kind) {
        case "refusal":
          return {
            status: said.about === "pace" ? 429 : 200,
            body: { status: "error", message: said.text },
          };
        case "cancels":
          return wrapped(
            mapOf(said.entries, (done) => (done ? { cancel: true } : { cancel: false, error: NO_CANCEL })),
          );
        case "states":
          return wrapped(byId(said, (state) => (state ? entryOf(state) : { error: NO_ORDER })).body);
        case "refill_states":
          return wrapped(
            listOf(said, (refill, status) =>
              status ? { refill: numberIn(refill), status } : { refill, error: NO_REFILL },
            ).body,
          );
        default:
          return wrapped(spellPlainly(said).body);
      }
    },
  },
  /** Formats numbers for people, has words of its own, and maps refills by their ids. */
  formatted: {
    takesLists: true,
    spell: (said) => {
      switch (said.kind) {
        case "states":
          return byId(said, (state) => {
            if (!state) return { error: NO_ORDER };
            const entry = entryOf(state, WORDS_OF_FORMATTED);
            return { ...entry, remains: grouped(entry.remains), charge: amountOf(state.charge * 2500) };
          });
        case "refill_states":
          return ok(
            mapOf(said.entries, (status) =>
              status ? { status: respelled(status, WORDS_OF_FORMATTED) } : { error: NO_REFILL },
            ),
          );
        case "cancels":
          return ok(
            said.entries.map(([order, done]) => ({ order, ...(done ? { cancel: true } : { error: NO_CANCEL }) })),
          );
        case "balance":
          return ok({ balance: amountOf(said.amount), currency: "USD" });
        default:
          return spellPlainly(said);
      }
    },
  },
  /** Answers with the bytes of many real panels. What none of them says is spelled as by the framework. */
  corpus: {
    takesLists: false,
    spell: (said, call) => corpusAnswer(said, call) ?? SINGLES.spell(said, call),
  },
};

const REFUSED_WITH = { key: 401, funds: 402, pace: 429, call: 422 };
const NOTICE =
  "<br />\n<b>Notice</b>:  Undefined index: runs in <b>/home/panel/public_html/api.php</b> on line <b>31</b><br />\n";

/** Words by the state that they mean. A word of no known state is written as it is. */
type Words = Partial<Record<"pending" | "inprogress" | "completed" | "partial" | "canceled", string>>;
const WORDS_OF_LISTS: Words = { inprogress: "In-Progress", completed: "completed", canceled: "Canceled" };
const WORDS_OF_FORMATTED: Words = { pending: "Awaiting", inprogress: "Running", partial: "PARTIAL" };

function respelled(status: string, words: Words): string {
  const key = status.toLowerCase().replaceAll(/[\s_-]/g, "");
  const known: [RegExp, keyof Words][] = [
    [/^pending$/, "pending"],
    [/^(inprogress|active|started|processing)$/, "inprogress"],
    [/^completed?$/, "completed"],
    [/^partial$/, "partial"],
    [/^cancell?ed$/, "canceled"],
  ];
  const means = known.find(([spelling]) => spelling.test(key))?.[1];
  return (means && words[means]) ?? status;
}

/** Spells what most panels say alike. */
function spellPlainly(said: Exclude<Said, { kind: "states" | "refill_states" | "cancels" }>): Spelled {
  switch (said.kind) {
    case "refusal":
      return { status: said.about === "pace" ? 429 : 200, body: { error: said.text } };
    case "order":
      return ok({ order: said.id });
    case "refill":
      return ok({ refill: said.id });
    case "balance":
      return ok({ balance: said.amount.toFixed(2), currency: "USD" });
    case "catalog":
      return ok(said.services);
    default:
      return said satisfies never;
  }
}

function entryOf({ status, remains, startCount, charge, orders }: OrderState, words: Words = {}) {
  return {
    charge: charge as unknown,
    start_count: startCount,
    status: respelled(status, words),
    remains,
    currency: "USD",
    ...(orders && { orders }),
  };
}

function ok(body: unknown): Spelled {
  return { status: 200, body };
}

function noticed(body: unknown): Spelled {
  return { status: 200, body: NOTICE + JSON.stringify(body), headers: { "Content-Type": "text/html; charset=UTF-8" } };
}

function wrapped(data: unknown): Spelled {
  return ok({ status: "success", data });
}

/** A map by ids, or the entry alone if it was asked for alone. */
function byId<One>(
  { isList, entries }: { isList: boolean; entries: (readonly [string, One])[] },
  entry: (one: One) => object,
): Spelled {
  const [first] = entries;
  return ok(isList || !first ? mapOf(entries, entry) : entry(first[1]));
}

function mapOf<One>(entries: (readonly [string, One])[], entry: (one: One) => object): Record<string, object> {
  return Object.fromEntries(entries.map(([id, one]) => [id, entry(one)]));
}

function listOf<One>(
  { isList, entries }: { isList: boolean; entries: (readonly [string, One])[] },
  entry: (id: string, one: One) => object,
): Spelled {
  const list = entries.map(([id, one]) => entry(id, one));
  return ok(isList ? list : list[0]);
}

function only<One>(
  [entry]: (readonly [string, One])[],
  spell: (one: One, id: string) => object | null | false | "",
  error: string,
): Spelled {
  const body = entry && spell(entry[1], entry[0]);
  return body ? ok(body) : { status: REFUSED_WITH.call, body: { error } };
}

function numberIn(id: string): number | string {
  return /^\d{1,15}$/.test(id) ? Number(id) : id;
}

function textOf(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

/** Groups the thousands of what is a plain count. Anything strange stays so. */
function grouped(count: unknown): unknown {
  return /^\d{1,9}$/.test(String(count)) ? Number(count).toLocaleString("en-US") : count;
}

/** An amount such as "1,250.00". */
function amountOf(amount: number): string {
  return amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

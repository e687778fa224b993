import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { confirmIdentity, holdUntilConfirmed, type Question, receiveQuestions } from "./confirm-identity.ts";

const METHODS = { hasPassword: true, hasPasskeys: false, hasCodes: false, hasTotp: false };
const asked: Question[] = [];
const assigned: string[] = [];
const captures: boolean[] = [];
let page: EventTarget;
let status: () => Promise<Response>;
let stopAsking: () => void;
let stopHolding: () => void;

/** Notes the phase that is asked for: workerd has no capture phase, and Node removes no listener of it. */
class Page extends EventTarget {
  override addEventListener(type: string, listener: EventListener, capture = false): void {
    captures.push(capture);
    super.addEventListener(type, listener);
  }
  override removeEventListener(type: string, listener: EventListener, capture = false): void {
    captures.push(capture);
    super.removeEventListener(type, listener);
  }
}

class PageElement {
  isConnected = true;
  readonly dataset: Record<string, string>;
  constructor(asks = true) {
    this.dataset = asks ? { asksIdentity: "" } : {};
  }
  closest(): PageElement | null {
    return this;
  }
}

class PageForm extends PageElement {
  submitted: unknown[] = [];
  requestSubmit(submitter: unknown): void {
    // A browser dispatches this event for it.
    if (!submit(this, submitter).defaultPrevented) this.submitted.push(submitter);
  }
}

class PageLink extends PageElement {
  readonly href = "https://growline.example/admin/keys";
}

beforeEach(() => {
  asked.length = 0;
  assigned.length = 0;
  captures.length = 0;
  page = new Page();
  status = async () => Response.json({ isRecent: false, methods: METHODS });
  vi.stubGlobal("window", page);
  vi.stubGlobal("Element", PageElement);
  vi.stubGlobal("HTMLFormElement", PageForm);
  vi.stubGlobal("location", { assign: (href: string) => void assigned.push(href) });
  vi.stubGlobal("fetch", () => status());
  stopAsking = receiveQuestions((question) => void asked.push(question));
  stopHolding = holdUntilConfirmed();
});
afterEach(() => {
  stopAsking();
  stopHolding();
  vi.unstubAllGlobals();
});

test.for([true, false])("asks in the dialog and returns whether the person has proved it: %s", async (isProven) => {
  const confirmed = confirmIdentity();
  const [question] = await questions();
  expect(question?.methods).toEqual(METHODS);
  question?.settle(isProven);
  expect(await confirmed).toBe(isProven);
});

const NOT_ASKED: [state: string, status: () => Promise<Response>][] = [
  ["the proof is recent", async () => Response.json({ isRecent: true, methods: METHODS })],
  ["the session has ended", async () => Response.json({ isRecent: false, methods: METHODS }, { status: 401 })],
  ["the server can't be reached", () => Promise.reject(new TypeError("failed to fetch"))],
];

test.for(NOT_ASKED)("asks nothing if %s", async ([, given]) => {
  status = given;
  expect(await confirmIdentity()).toBe(true);
  expect(asked).toEqual([]);
});

test("asks nothing where there is no dialog", async () => {
  stopAsking();
  expect(await confirmIdentity()).toBe(true);
});

test("holds a form until the person has proved who they are, asks once, and submits it with its button", async () => {
  const [form, button] = [new PageForm(), {}];
  const [first, second] = [submit(form, button), submit(form, button)];
  expect([first.defaultPrevented, second.defaultPrevented]).toEqual([true, true]);
  const [question, ...more] = await questions();
  expect(more).toEqual([]);
  question?.settle(true);
  await vi.waitFor(() => expect(form.submitted).toEqual([button]), { timeout: 90_000 });
  // The next time, it asks again.
  expect(submit(form, button).defaultPrevented).toBe(true);
  await vi.waitFor(() => expect(asked).toHaveLength(2), { timeout: 90_000 });
});

test.for([
  [false, true],
  [true, false],
] as const)(
  "drops a held form if it was proved: %s, and the form is still there: %s",
  async ([isProven, isConnected]) => {
    const form = new PageForm();
    submit(form);
    const [question] = await questions();
    form.isConnected = isConnected;
    question?.settle(isProven);
    // It is asked again once the first question is settled.
    await vi.waitFor(
      () => {
        submit(form);
        expect(asked).toHaveLength(2);
      },
      { timeout: 90_000 },
    );
    expect(form.submitted).toEqual([]);
  },
);

test("keeps a held event from everybody else", async () => {
  const heard = vi.fn();
  page.addEventListener("submit", heard);
  submit(new PageForm());
  expect(heard).not.toHaveBeenCalled();
  await questions();
  submit(new PageForm(false));
  expect(heard).toHaveBeenCalledTimes(1);
});

test("lets forms pass that don't ask, and what is no form", () => {
  expect(submit(new PageForm(false)).defaultPrevented).toBe(false);
  expect(submit(new PageElement()).defaultPrevented).toBe(false);
});

test("holds a plain click on a link, then opens it", async () => {
  expect(click(new PageLink()).defaultPrevented).toBe(true);
  const [question] = await questions();
  expect(assigned).toEqual([]);
  question?.settle(true);
  await vi.waitFor(() => expect(assigned).toEqual(["https://growline.example/admin/keys"]), { timeout: 90_000 });
});

test.for([{ button: 1 }, { metaKey: true }, { ctrlKey: true }, { shiftKey: true }, { altKey: true }])(
  "lets a click with %o pass, which opens another tab or window",
  (how) => {
    expect(click(new PageLink(), how).defaultPrevented).toBe(false);
  },
);

test("lets clicks pass on links that don't ask, beside links, and on no element", () => {
  const beside = Object.assign(new PageElement(), { closest: () => null });
  for (const target of [new PageLink(false), beside, {}]) expect(click(target).defaultPrevented).toBe(false);
});

test("listens in the capture phase, before React, and holds nothing once it is stopped", () => {
  stopHolding();
  expect(captures).toEqual([true, true, true, true]);
  expect(submit(new PageForm()).defaultPrevented).toBe(false);
  expect(click(new PageLink()).defaultPrevented).toBe(false);
});

/** Waits until a question was asked, and returns all. */
async function questions(): Promise<Question[]> {
  await vi.waitFor(() => expect(asked).not.toEqual([]), { timeout: 90_000 });
  return [...asked];
}

function submit(form: object, submitter: unknown = null): Event {
  return dispatch("submit", form, { submitter });
}

function click(target: object, how: object = {}): Event {
  const plain = { button: 0, metaKey: false, ctrlKey: false, shiftKey: false, altKey: false };
  return dispatch("click", target, { ...plain, ...how });
}

function dispatch(type: string, target: object, fields: object): Event {
  const event = Object.assign(new Event(type, { cancelable: true }), fields);
  Object.defineProperty(event, "target", { value: target });
  page.dispatchEvent(event);
  return event;
}

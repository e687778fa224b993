import { expect, type Locator, type Page } from "@playwright/test";

/** What a scene took: actions of a person (a click, a field, an address), seconds, and what went wrong, if anything. */
export type SceneResult = { name: string; actions: number; seconds: number; notes: string[]; fault: string | null };

/** An operator's hands: they count what they do. Looking costs nothing. */
export class OperatorHand {
  readonly page: Page;
  actions = 0;
  notes: string[] = [];

  constructor(page: Page) {
    this.page = page;
  }

  async goTo(path: string): Promise<void> {
    this.actions += 1;
    const response = await this.page.goto(path);
    if (!response?.ok()) throw new Error(`${path} answered ${response?.status()}`);
  }

  async click(target: Locator): Promise<void> {
    this.actions += 1;
    await target.click();
  }

  /** Ticks a box that is not ticked. */
  async tick(target: Locator): Promise<void> {
    if (await target.isChecked()) return;
    this.actions += 1;
    await target.check();
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.actions += 1;
    await target.fill(text);
  }

  async choose(target: Locator, value: string): Promise<void> {
    this.actions += 1;
    await target.selectOption(value);
  }

  /** Waits until the text is there: what a person sees before they go on. */
  async see(text: string | RegExp): Promise<void> {
    await expect(this.page.getByText(text).first()).toBeVisible({ timeout: 20_000 });
  }

  note(text: string): void {
    this.notes.push(text);
  }
}

/** Plays a scene, and returns what it took. A scene that fails does not stop the day. */
export async function playScene(
  page: Page,
  name: string,
  scene: (hand: OperatorHand) => Promise<void>,
): Promise<SceneResult> {
  const hand = new OperatorHand(page);
  const startedAt = performance.now();
  let fault: string | null = null;
  try {
    await scene(hand);
  } catch (error) {
    fault = String(error).split("\n").slice(0, 3).join(" ");
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { name, actions: hand.actions, seconds, notes: hand.notes, fault };
}

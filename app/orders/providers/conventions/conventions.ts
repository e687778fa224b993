import { ownValue } from "#app/own-value.ts";
import type { Convention } from "./convention.ts";
import { PANEL_API_V2 } from "./panel-api-v2.ts";

/** Every family of panels, by the name in `providers.convention`. Another family is another file, and a line here. */
export const CONVENTIONS: Record<string, Convention> = { "panel-api-v2": PANEL_API_V2 };

/** Returns the convention of a provider's row. Throws for a name that no release knows. */
export function conventionNamed(name: string): Convention {
  const convention = ownValue(CONVENTIONS, name);
  if (!convention) throw new Error("a provider has an unknown convention");
  return convention;
}

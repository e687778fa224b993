import { MASS_DRAFT } from "./mass-draft.ts";

/**
 * A mass order that its customer tops up for, as the URL carries it. Its lines stay where they are: in the tab, or in an
 * uploaded file. `charge` is micro-units.
 */
export type PlannedMass = { draft: string; uploadId: string | null; lines: number; charge: number };

const LINES = /^[1-9]\d{0,3}$/;
const CHARGE = /^\d{1,15}$/;
const UPLOAD = /^[\w-]{1,64}$/;

/** Returns the query that carries a mass order to the top-up page. */
export function massQuery({ draft, uploadId, lines, charge }: PlannedMass): string {
  const query = new URLSearchParams({ mass: draft, lines: String(lines), charge: String(charge) });
  if (uploadId !== null) query.set("upload", uploadId);
  return query.toString();
}

/** Returns the mass order that a query carries, or null. */
export function plannedMassIn(searchParams: URLSearchParams): PlannedMass | null {
  const [draft, lines, charge] = ["mass", "lines", "charge"].map((name) => searchParams.get(name) ?? "") as [
    string,
    string,
    string,
  ];
  const uploadId = searchParams.get("upload");
  const isValid = MASS_DRAFT.test(draft) && LINES.test(lines) && CHARGE.test(charge);
  if (!isValid || (uploadId !== null && !UPLOAD.test(uploadId))) return null;
  return { draft, uploadId, lines: Number(lines), charge: Number(charge) };
}

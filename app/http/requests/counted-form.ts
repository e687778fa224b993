import { asText, declaredCharset, decodePairs, decodeParts, isSurelyUtf8 } from "./form-charset.ts";

/** A boundary as browsers and libraries write it. It is written anew, so that it is counted and parsed alike. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+./:=?-]{1,70}))\s*(?:;|$)/i;

export type CountedForm = { ok: true; form: FormData } | { ok: false; reason: "too_many_fields" | "not_its_charset" };

/**
 * Parses the bytes of a form in the charset that it declares, or else in UTF-8. Refuses bytes that are not of it, and more
 * than `maxFields`, which are counted before they are made: each costs many times its bytes. Throws for what is not a form.
 */
export async function countedForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  maxFields: number,
): Promise<CountedForm> {
  const boundary = /^\s*multipart\/form-data/i.test(contentType) ? boundaryOf(contentType) : null;
  // The last boundary ends the form.
  const most = boundary === null ? maxFields - 1 : maxFields + 1;
  if (hasMore(bytes, boundary === null ? "&" : `--${boundary}`, most)) return { ok: false, reason: "too_many_fields" };
  // Without its charset, which the platform refuses if it is another one.
  const type = boundary === null ? contentType.split(";", 1).join() : `multipart/form-data; boundary="${boundary}"`;
  const form = await parse(bytes, type);
  const declared = declaredCharset(contentType);
  const mayDeclare = boundary !== null && hasMore(bytes, "charset=", 0);
  if (!mayDeclare && isSurelyUtf8(form, declared)) return { ok: true, form };
  const decoded =
    boundary === null
      ? decodePairs(bytes, declared)
      : decodeParts(bytes, { form, asBytes: await parse(asText(bytes), type), boundary, declared });
  return decoded === null ? { ok: false, reason: "not_its_charset" } : { ok: true, form: decoded };
}

async function parse(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  return await new Response(bytes, { headers: { "Content-Type": type } }).formData();
}

function boundaryOf(contentType: string): string {
  const found = BOUNDARY.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) throw new TypeError("a multipart form without a boundary");
  return boundary;
}

/** Returns whether the text occurs more often than `max` times, without looking further. */
export function hasMore(bytes: Uint8Array<ArrayBuffer>, text: string, max: number): boolean {
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = searched.indexOf(text); at >= 0; at = searched.indexOf(text, at + text.length)) {
    if (++count > max) return true;
  }
  return false;
}

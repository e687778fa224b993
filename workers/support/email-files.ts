import { isPicture } from "#app/support/email/answer/inline-images.ts";
import { FILE_MAX_BYTES } from "#app/support/protocol/file-limits.ts";
import { nameOfFile, typeOf } from "#app/support/room/room-files.server.ts";

const FILES_MAX = 5;
/** What programs attach by themselves: signatures, cards, invitations. Nobody misses them. */
const ADDED_BY_PROGRAMS =
  /^(?:text\/|message\/|multipart\/|application\/(?:(?:x-)?pkcs7-|pgp-|ms-tnef|vnd\.ms-tnef|ics\b|x-amp))|\.(?:asc|p7s|vcf|ics|dat)$/i;
/** A photo in the text. Its size is not read, and logos are not sent in this format. */
const PHOTO = /^image\/hei[cf]/i;

/** A part that is no text, as the parser returns it. `related`: the text shows it. */
type Attached = {
  content: ArrayBuffer | Uint8Array | string;
  filename: string | null;
  mimeType: string;
  related?: boolean | undefined;
};
type File = { content: Uint8Array; type: string; name: string };

/**
 * Returns the files that the chat takes, attachments before pictures in the text, and the names of the files that it
 * refuses.
 */
export function filesOf(attachments: Attached[]): { taken: File[]; refused: string[] } {
  const taken: (File & { isInText: boolean })[] = [];
  const refused: string[] = [];
  for (const { content: given, filename, mimeType, related: isInText = false } of attachments) {
    const content = typeof given === "string" ? null : new Uint8Array(given);
    if (!content || content.length === 0) continue;
    const type = typeOf(content);
    if (isInText && !PHOTO.test(mimeType) && !(type && isPicture(content))) continue;
    if (type && content.length <= FILE_MAX_BYTES) {
      taken.push({ content, type, name: nameOfFile(filename ?? "", type), isInText });
    } else if (!ADDED_BY_PROGRAMS.test(mimeType) && !ADDED_BY_PROGRAMS.test(filename ?? "")) {
      refused.push(nameOfFile(filename ?? "", mimeType));
    }
  }
  taken.sort((one, other) => Number(one.isInText) - Number(other.isInText));
  const tooMany = taken.slice(FILES_MAX).filter(({ isInText }) => !isInText);
  return { taken: taken.slice(0, FILES_MAX), refused: [...refused, ...tooMany.map(({ name }) => name)] };
}

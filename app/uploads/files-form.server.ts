import type { AppLoadContext } from "@remix-run/cloudflare";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { formText, type LargeForm, readForm } from "#app/http/requests/read-form.ts";
import { abortUpload } from "./multipart-upload.server.ts";
import { deleteUpload, storeFile } from "./stored-files.server.ts";

/** The limit of the form without JavaScript, which is read into memory: several times its size of the 128 MB. */
export const FILES_FORM: LargeForm = {
  encoding: "multipart/form-data",
  maxBytes: 10 * 1024 * 1024,
  tooLarge: "Without JavaScript, files can be at most 10 MB. Turn it on to upload larger files.",
};

/** Returns null for a form whose Content-Length is too large: the page says so itself, instead of an error page. */
export async function readFilesForm(request: Request): Promise<FormData | null> {
  if (Number(request.headers.get("Content-Length")) > FILES_FORM.maxBytes) return null;
  return readForm(request, FILES_FORM);
}

/** Handles the forms of the files page: storing a file without JavaScript, deleting one, ending an unfinished upload. */
export async function submitFilesForm(
  { db, env }: AppLoadContext,
  userId: string,
  form: FormData | null,
): Promise<FormOutcome | "unknown_form" | "not_found"> {
  if (!form) return shown(413, "file", FILES_FORM.tooLarge);
  const id = formText(form, "id");
  switch (form.get("intent")) {
    case "file": {
      const file = form.get("file");
      if (!(file instanceof File) || file.size === 0) return shown(400, "file", "Choose a file first.");
      const stored = await storeFile(db, env.UPLOADS, userId, file);
      if (!stored.ok) return shown(stored.status, "file", stored.text);
      return shown(200, "file", `${stored.upload.name} was uploaded.`);
    }
    case "delete":
      if (!(await deleteUpload(db, env.UPLOADS, userId, id))) return "not_found";
      return shown(200, "delete", "File deleted.");
    case "abort":
      if (!(await abortUpload(db, env.UPLOADS, userId, id))) return "not_found";
      return shown(200, "abort", "Unfinished upload removed.");
    default:
      return "unknown_form";
  }
}

function shown(status: number, intent: string, message: string): FormOutcome {
  return { kind: "shown", status, result: { intent, ok: status === 200, message } };
}

import type { Mail } from "#app/email/send-email.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export function resetMail(to: string, link: string): Mail {
  return compose(to, `Choose a new ${PRODUCT_NAME} password`, [
    `Somebody, probably you, asked for a new password for your ${PRODUCT_NAME} account.`,
    { link, label: "Choose a new password" },
    "The link works once, for an hour. If it was not you, do nothing: your password stays as it is.",
  ]);
}

export function passwordChangedMail(to: string, link: string): Mail {
  return compose(to, `Your ${PRODUCT_NAME} password was changed`, [
    `The password of your ${PRODUCT_NAME} account was changed just now, and other devices were signed out.`,
    "If it was not you, choose a new password at once:",
    { link, label: "Choose a new password" },
  ]);
}

export function emailChangeMail(to: string, link: string): Mail {
  return compose(to, `Confirm your new email address for ${PRODUCT_NAME}`, [
    `This address was given as the new one of a ${PRODUCT_NAME} account. Confirm it to use it from now on.`,
    { link, label: "Confirm this address" },
    "The link works once, for a day. If it was not you, do nothing.",
  ]);
}

export function emailChangeNoticeMail(to: string, newEmail: string, link: string): Mail {
  return compose(to, `A new email address for your ${PRODUCT_NAME} account`, [
    `Somebody, probably you, asked to move your ${PRODUCT_NAME} account to ${newEmail}. It is moved when that address is confirmed.`,
    "If it was not you, choose a new password at once; that also stops the move:",
    { link, label: "Choose a new password" },
  ]);
}

type Part = string | { link: string; label: string };

function compose(to: string, subject: string, parts: Part[]): Mail {
  const text = parts.map((part) => (typeof part === "string" ? part : part.link)).join("\n\n");
  const html = parts.map((part) =>
    typeof part === "string"
      ? `<p>${escapeHtml(part)}</p>`
      : `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a></p><p>${escapeHtml(part.link)}</p>`,
  );
  return {
    to,
    subject,
    text: `${text}\n`,
    html: `<!doctype html><html lang="en"><body>${html.join("")}</body></html>`,
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

import { composeEmail } from "#app/email/compose-email.ts";
import type { Email } from "#app/email/send-email.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export function resetEmail(to: string, link: string): Email {
  return composeEmail(to, `Reset your ${PRODUCT_NAME} password`, [
    `We received a request to reset the password of your ${PRODUCT_NAME} account.`,
    { link, label: "Reset password" },
    "The link works once and expires in one hour. If you didn't request this, ignore this email: your password stays the same.",
  ]);
}

/** `endsPrograms`: the change also revoked API keys and turned off webhooks. */
export function passwordChangedEmail(to: string, link: string, { endsPrograms }: { endsPrograms: boolean }): Email {
  return composeEmail(to, `Your ${PRODUCT_NAME} password was changed`, [
    `The password of your ${PRODUCT_NAME} account was changed, and you were logged out on your other devices.`,
    ...(endsPrograms
      ? [
          "All API keys were revoked and all webhooks were turned off. Create new keys for your programs, and turn on the webhooks that you know.",
        ]
      : []),
    "If this wasn't you, reset your password right away:",
    { link, label: "Reset password" },
  ]);
}

export function verificationEmail(to: string, link: string): Email {
  return composeEmail(to, `Confirm your email address for ${PRODUCT_NAME}`, [
    `Welcome to ${PRODUCT_NAME}. Confirm this email address to use live API keys, webhooks and card payments.`,
    { link, label: "Confirm email address" },
    "The link works once and expires in 48 hours. If you didn't create this account, ignore this email.",
  ]);
}

export function confirmAddressEmail(to: string, link: string): Email {
  return composeEmail(to, `Confirm your new email address for ${PRODUCT_NAME}`, [
    `We received a request to use this email address for a ${PRODUCT_NAME} account. To confirm it, open this link where you are logged in to that account.`,
    { link, label: "Confirm email address" },
    "The link works once and expires in 24 hours. If you didn't request this, ignore this email.",
  ]);
}

export function addressChangeNoticeEmail(to: string, newEmail: string, link: string): Email {
  return composeEmail(to, `New email address for your ${PRODUCT_NAME} account`, [
    `We received a request to change the email address of your ${PRODUCT_NAME} account to ${newEmail}. It changes once that address is confirmed.`,
    "If this wasn't you, reset your password right away. That also cancels the change:",
    { link, label: "Reset password" },
  ]);
}

/** `how`: the device, time and network of the log-in, each with its name. */
export function newDeviceEmail(
  to: string,
  how: { device: string; time: string; network: string },
  link: string,
): Email {
  return composeEmail(to, `New log-in to your ${PRODUCT_NAME} account`, [
    `Somebody logged in to your ${PRODUCT_NAME} account from a device that we don't know:`,
    `Device: ${how.device}`,
    `Time: ${how.time}`,
    `Network: ${how.network}`,
    "If this was you, you don't need to do anything. If it wasn't, log out every device and choose a new password:",
    { link, label: "This wasn't me" },
    "The link works once and expires in 7 days.",
  ]);
}

/** `change` is a sentence: "The passkey “Phone” was added." `notMe` removes it, and is null if nothing was added. */
export function factorNoticeEmail(
  to: string,
  change: string,
  links: { account: string; reset: string; notMe: string | null },
): Email {
  return composeEmail(to, `Two-step login of your ${PRODUCT_NAME} account`, [
    `${change} You can see your passkeys, authenticator app and recovery codes here:`,
    { link: links.account, label: "Two-step login" },
    ...(links.notMe === null
      ? [
          "If this wasn't you, reset your password right away, then remove what you don't know:",
          { link: links.reset, label: "Reset password" },
        ]
      : [
          "If this wasn't you, remove it, log out every device and choose a new password:",
          { link: links.notMe, label: "This wasn't me" },
          "The link works once and expires in 7 days.",
        ]),
  ]);
}

/** For an owner whose factors the support team removed. `account` is where new ones are set up. */
export function factorsRemovedEmail(to: string, links: { account: string; reset: string }): Email {
  return composeEmail(to, `The two-step login of your ${PRODUCT_NAME} account was removed`, [
    "Your two-step login was removed by our support team, and you were logged out everywhere. You log in with your password alone until you set it up again:",
    { link: links.account, label: "Set up two-step login" },
    "If you didn't ask for this, reset your password right away, set up two-step login again, and contact support in the chat:",
    { link: links.reset, label: "Reset password" },
  ]);
}

/** For an agent or admin who became a customer, because a link in an email removed a second factor. */
export function roleRemovedEmail(to: string): Email {
  return composeEmail(to, `Your ${PRODUCT_NAME} account is a customer account`, [
    "A link in one of our emails removed a passkey or authenticator app of your account. So that nobody who reads your email gets into our console, your account became a customer account, and you were logged out everywhere.",
    "Choose a new password, then ask an admin to give you your role back. Before they do, an admin must make sure that it is you who asks.",
  ]);
}

/** For staff whose account has no second factor. */
export function staffSetupEmail(to: string, link: string): Email {
  return composeEmail(to, `Set up two-step login for your ${PRODUCT_NAME} staff account`, [
    `Staff of ${PRODUCT_NAME} need a second step to log in: a passkey or an authenticator app. Log in with this link to set it up:`,
    { link, label: "Set up two-step login" },
    "The link works once and expires in 24 hours, and a reset of your password ends it. Don't forward it. If it has expired, ask an admin for a new one.",
  ]);
}

export function addressChangedEmail(to: string, newEmail: string, undoLink: string): Email {
  return composeEmail(to, `The email address of your ${PRODUCT_NAME} account was changed`, [
    `Your ${PRODUCT_NAME} account now uses ${newEmail}. You can't log in with this address anymore.`,
    "If this wasn't you, undo the change. That logs everyone out, ends the password, the API keys and the webhooks, and lets you choose a new password:",
    { link: undoLink, label: "Undo the change" },
    "The link works for 7 days.",
  ]);
}

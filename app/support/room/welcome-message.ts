export const BOT_NAME = "Support Bot";
export const SYSTEM_AUTHOR = "system";
export const WELCOME_CLIENT_ID = "welcome";

export function welcomeText(name: string): string {
  return `Hi ${name}! Welcome to our support chat. How can we help you today?`;
}

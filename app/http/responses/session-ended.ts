export const SESSION_ENDED = "Your session has ended. Log in again.";

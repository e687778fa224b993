/** Correct answers of an operator to the questions of `npm run deploy`. */
export const OPERATOR_CHOICES = {
  domain: "panel.your-domain.com",
  sender: "no-reply@your-domain.com",
  loginErrors: "uniform",
  staffSecondFactor: "required",
  location: "weur",
  smokeTestEmail: "ops+smoke@your-domain.com",
  alertEmail: "ops@your-domain.com",
};

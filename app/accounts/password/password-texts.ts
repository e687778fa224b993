export const COMMON_PASSWORD = "This password is too common. Choose another one.";
export const WRONG_PASSWORD = "Incorrect password.";

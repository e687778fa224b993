/** The header by which a stand-in outside the product says that it hangs: no response will ever come. */
export const HANGS = "x-world-hangs";

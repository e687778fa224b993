/** Name of the one desk object, which every console connects to. */
export const DESK_NAME = "desk";

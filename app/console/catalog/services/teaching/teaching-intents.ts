export const PREVIEW_WORD = "preview-word";
export const TEACH_WORD = "teach-word";
export const APPLY_WORD = "apply-word";
export const UNDO_WORD = "undo-word";

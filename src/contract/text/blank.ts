/** Something that can be seen: not only spaces, controls and characters without a shape, as the empty pattern of Braille. */
const visible = /[^\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether nobody could read anything in a text. */
export const isBlank = (text: string): boolean => !visible.test(text);

import { portalStyle } from "../portal/style.ts";

/** The style of Studio, in one file with that of the portal. */
export const studioStyle = `${portalStyle}
`;

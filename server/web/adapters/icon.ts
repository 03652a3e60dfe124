/** The icon that browsers show in a tab: a play button. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d5fd1"/><path d="M12 9l11 7-11 7z" fill="#fff"/></svg>
`;

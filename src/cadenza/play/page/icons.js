// The pictures on buttons, as paths on a field of 24 by 24.

export const CROSS = "M6 6l12 12M18 6L6 18";
export const PLUS = "M12 5v14M5 12h14";
export const SEND = "M5 12h13M12 5l7 7-7 7";
export const STOP = "M7 7h10v10H7z";
export const CHAT = "M4 5h16v11H10l-4 4v-4H4z";
export const INSIDE = "M4 6h10M4 12h16M4 18h7";
export const SETTINGS = "M4 7h9M17 7h3M4 17h3M11 17h9M15 4v6M9 14v6";
export const MORE = "M4 6h16M4 12h16M4 18h16";
export const TOUR = "M12 3l9 5-9 5-9-5zM7 11v5c0 1 2.5 3 5 3s5-2 5-3v-5";
export const LAB = "M10 3v6l-6 10a1.5 1.5 0 0 0 1.3 2h13.4a1.5 1.5 0 0 0 1.3-2L14 9V3M8 3h8M7.5 15h9";
export const PANEL = "M4 5h16v14H4zM14 5v14";
export const REWIND = "M4 12a8 8 0 1 0 3-6.2M4 4v4h4M12 8v4l3 2";
export const OTHER = "M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5";
export const HELP = "M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M12 17v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18";

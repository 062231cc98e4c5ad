import { two } from "../two.js";
export const half = (n) => n / two;

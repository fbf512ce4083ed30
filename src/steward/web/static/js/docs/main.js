// The reference works without any of this; each part adds one comfort.
import { addCopyButtons } from "./copy.js";
import { followScrolling } from "./follow.js";
import { searchWhileTyping } from "./search.js";
import { addTryIt } from "./try.js";

addCopyButtons(document);
followScrolling(document.querySelector(".side"));
searchWhileTyping(document.querySelector("#search"));
addTryIt(document.querySelectorAll("article[data-method]"));

import { render } from "preact";
import "@sabaki/shudan/css/goban.css";
import "./style.css";
import { App } from "./app";
import { connect } from "./connection";

connect();
const root = document.getElementById("page");
if (root) render(<App />, root);

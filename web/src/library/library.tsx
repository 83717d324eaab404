/** The tab of what was learned: shapes, filters, openings. */
import { useState } from "preact/hooks";
import { Segments } from "../parts";
import { text } from "../text";
import { Filters } from "./filters";
import { Openings } from "./openings";
import { Shapes } from "./shapes";

type Shelf = "shapes" | "filters" | "openings";
const SHELVES: Shelf[] = ["shapes", "filters", "openings"];

export function LibraryTab() {
  const [shelf, setShelf] = useState<Shelf>("shapes");
  return (
    <div class="page">
      <Segments
        label={text.library.title}
        test="shelf"
        options={SHELVES.map((value) => ({ value, name: text.library.shelves[value] }))}
        value={shelf}
        onChange={setShelf}
      />
      {shelf === "shapes" && <Shapes />}
      {shelf === "filters" && <Filters />}
      {shelf === "openings" && <Openings />}
    </div>
  );
}

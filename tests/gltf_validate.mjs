// Prints the report of the Khronos glTF validator for each file, as JSON, one line a file.
// It looks for the package where it is run: install it with npm in tests/browser and start node there.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const validator = createRequire(join(process.cwd(), "package.json"))("gltf-validator");
for (const file of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 50 });
  console.log(JSON.stringify(report));
}

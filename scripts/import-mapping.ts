/**
 * `npm run import:mapping -- --stage prod < kept.txt` (with `--silent` into a file): prints the
 * file that `cdk import --resource-mapping` needs to import the kept tables, bucket, key and
 * secrets of a removed stage. Reads their ARNs, in lines or words, as docs/deploy.md, Take kept
 * data back, lists them; sends AWS no request. Exits with 1 if a resource is missing or listed
 * twice, with 2 for wrong arguments.
 */
import '../bench/lib/help.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { App } from 'aws-cdk-lib'
import { DataStack } from '../lib/data-stack.ts'
import type { Stage } from '../lib/stage.ts'
import { loadStage } from '../lib/stage-file.ts'
import { matchResources, type Resources } from './import-mapping/mapping.ts'

const CDK_JSON = join(import.meta.dirname, '../cdk.json')

/** Returns the resources as `cdk synth` makes them; the flags of cdk.json decide logical ids. */
function synthesizeResources(stack: string, stage: Stage): Resources {
  const outdir = mkdtempSync(join(tmpdir(), 'skillgate-mapping-'))
  try {
    const { context } = JSON.parse(readFileSync(CDK_JSON, 'utf8'))
    const app = new App({ outdir, context })
    new DataStack(app, stack, { stage })
    return app.synth().getStackByName(stack).template.Resources
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

function readStage(): Stage | undefined {
  try {
    const text = { type: 'string' } as const
    const { values } = parseArgs({ options: { stage: { ...text, default: 'dev' }, config: text } })
    return loadStage(values.stage, { given: values.config, env: process.env, cwd: process.cwd() })
  } catch (cause) {
    console.error(`import-mapping: ${cause instanceof Error ? cause.message : String(cause)}`)
    return undefined
  }
}

async function writeMapping(stage: Stage): Promise<number> {
  // CDK's check of templates would print to the output; a deploy makes that check.
  process.env['CDK_VALIDATION'] = 'false'
  const stack = `Skillgate-${stage.name}-Data`
  const arns = (await text(process.stdin)).split(/\s+/).filter((word) => word !== '')
  const matched = matchResources(stack, synthesizeResources(stack, stage), arns)
  if (matched.ok) console.log(JSON.stringify(matched.mapping, undefined, 2))
  else for (const fault of matched.faults) console.error(`import-mapping: ${fault}`)
  return matched.ok ? 0 : 1
}

const stage = readStage()
process.exitCode = stage === undefined ? 2 : await writeMapping(stage)

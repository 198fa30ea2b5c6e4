/** The Gateway table as a stage's template has it, without the bundles that the other stacks need. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { App } from 'aws-cdk-lib'
import { GATEWAY_TABLE } from '../adapters/dynamodb/table.ts'
import { DataStack } from './data-stack.ts'
import { STACKS_PREFIX } from './lambda-grants.ts'
import type { Stage } from './stage.ts'
import { tagStage } from './tag-stage.ts'

const CDK_JSON = resolve(import.meta.dirname, '../cdk.json')

/** Returns the properties of the `AWS::DynamoDB::GlobalTable`. */
export function synthesizeGatewayTable(stage: Stage): { readonly [name: string]: unknown } {
  const outdir = mkdtempSync(join(tmpdir(), 'skillgate-table-'))
  try {
    const { context } = JSON.parse(readFileSync(CDK_JSON, 'utf8'))
    const app = new App({ outdir, context, analyticsReporting: false })
    const data = new DataStack(app, `${STACKS_PREFIX}${stage.name}-Data`, { stage })
    tagStage(app, stage)
    const { Resources } = app.synth().getStackByName(data.stackName).template
    const table = Object.entries<{ Properties: object }>(Resources).find(([id]) =>
      id.startsWith(GATEWAY_TABLE.name),
    )
    if (table === undefined) throw new Error('the data stack has no Gateway table')
    return { ...table[1].Properties }
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

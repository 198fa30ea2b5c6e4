/** The Gateway table as the stage's template has it, which the CDK synthesizes for this. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GATEWAY_TABLE } from '../../../adapters/dynamodb/table.ts'
import { toStackName } from '../../../lib/stack-names.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { bundleFunctions, runCdk } from '../deploy/cdk.ts'
import { type Fields, toFields } from './table-shape.ts'

/**
 * Returns the properties of the `AWS::DynamoDB::GlobalTable`. Also bundles the functions, so that a
 * clone that does not build is found before anything is stopped.
 */
export async function readTableTemplate(shell: Shell, stage: string): Promise<Fields> {
  const stack = toStackName(stage, 'Data')
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-restore-'))
  try {
    const bundled = await bundleFunctions(shell)
    if (bundled !== EXIT.ok) throw new Error(`The functions cannot be bundled (${bundled}).`)
    const words = ['synth', stack, '--exclusively', '--quiet', '-c', `stage=${stage}`]
    const code = await runCdk([...words, '--output', folder], shell)
    if (code !== EXIT.ok) throw new Error(`The stage cannot be synthesized (${code}).`)
    const text = readFileSync(join(folder, `${stack}.template.json`), 'utf8')
    return findTable(toFields(toFields(JSON.parse(text))['Resources']))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function findTable(resources: Fields): Fields {
  const [, table] =
    Object.entries(resources).find(
      ([id, resource]) =>
        id.startsWith(GATEWAY_TABLE.name) &&
        toFields(resource)['Type'] === 'AWS::DynamoDB::GlobalTable',
    ) ?? []
  if (table === undefined) throw new Error('The data stack has no Gateway table.')
  return toFields(toFields(table)['Properties'])
}

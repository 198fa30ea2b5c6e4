import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readNodeFlags } from '../../bench/lib/start-twin.ts'

const ROOT = join(import.meta.dirname, '../..')

test('npm start keeps what Node compiled in a folder of the repository', () => {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const asked = "process.getBuiltinModule('node:module').getCompileCacheDir()"
  const folder = execFileSync(process.execPath, [...readNodeFlags(), '-p', asked], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  expect(folder).toContain(join(ROOT, 'node_modules/.cache/compiled'))
})

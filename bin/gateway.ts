/**
 * The CDK app. `-c stage=NAME` (default dev) chooses a stage of skillgate.config.json, which `-c
 * config=PATH`, the variable SKILLGATE_CONFIG or the working folder gives. Account and region come
 * from the file, or else from the CLI. If dist/ lacks a function's bundle, the functions are
 * bundled first, so that plain `npx cdk deploy --all` works in a fresh clone; `npm run deploy`
 * always bundles again. `-c bundles=FOLDER` names existing bundles.
 */
import { App } from 'aws-cdk-lib'
import { findBundles } from '../lib/find-bundles.ts'
import { addStacks } from '../lib/gateway-app.ts'
import { addRulePacks } from '../lib/nag.ts'
import { loadStage } from '../lib/stage-file.ts'
import { assertAccount, toEnvironment } from '../lib/stages.ts'

try {
  const app = new App()
  const readContext = (name: string): unknown => app.node.tryGetContext(name)
  const { env } = process
  const place = { given: readContext('config'), env, cwd: process.cwd() }
  const stage = loadStage(readContext('stage') ?? 'dev', place)
  assertAccount(stage, env['CDK_DEFAULT_ACCOUNT'])
  addStacks(app, {
    stage,
    bundles: findBundles(readContext('bundles')),
    env: toEnvironment(stage, env),
  })
  addRulePacks(app)
} catch (cause) {
  // A wrong option is reported in one line, without a stack.
  console.error(cause instanceof Error ? cause.message : String(cause))
  process.exit(1)
}

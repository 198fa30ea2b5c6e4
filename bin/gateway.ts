/**
 * The CDK app. `-c stage=dev|prod|emulated` (default dev) picks the stage; account and region come
 * from the CLI. Bundles must exist (`npm run bundle`), so that synth needs no network; `-c
 * bundles=…` names another folder than dist.
 */
import { resolve } from 'node:path'
import { App } from 'aws-cdk-lib'
import { addStacks } from '../lib/gateway-app.ts'
import { judgeByRulePacks } from '../lib/nag.ts'
import { stageNamed } from '../lib/stages.ts'

const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env

const app = new App()
addStacks(app, {
  stage: stageNamed(app.node.tryGetContext('stage') ?? 'dev'),
  bundles: resolve(import.meta.dirname, '..', app.node.tryGetContext('bundles') ?? 'dist'),
  env: {
    ...(account === undefined ? {} : { account }),
    ...(region === undefined ? {} : { region }),
  },
})
judgeByRulePacks(app)

/**
 * The alias of a function. URLs and Invokes name aliases, so that a roll-back, a canary or provisioned
 * concurrency never changes an address.
 */
import { RemovalPolicy } from 'aws-cdk-lib'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import type { DoorFunction } from './door-function.ts'
import type { Stage } from './stage.ts'

/**
 * Creates an alias. Versions are retained, because streams and calls that run
 * on the previous version end there.
 */
export function createAlias(
  door: DoorFunction,
  aliasName: string,
  { publishedVersions }: Stage,
): lambda.Alias {
  if (publishedVersions) {
    door.currentVersion.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
    return door.addAlias(aliasName)
  }
  return new lambda.Alias(door, `Alias${aliasName}`, { aliasName, version: door.latestVersion })
}

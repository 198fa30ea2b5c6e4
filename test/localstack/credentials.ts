/**
 * The made-up account that emulators give every caller, and the environment in which AWS's tools
 * reach an emulator and nothing else: without any profile, file or token of the developer's.
 */
export const ACCOUNT = '000000000000'
export const REGION = 'us-east-1'
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' }

/** Variables of the developer's environment; AWS_CA_BUNDLE and proxies stay. */
const LEFT_OUT =
  /^AWS_(PROFILE|DEFAULT_PROFILE|SESSION_TOKEN|ROLE_|WEB_IDENTITY|CONTAINER_|ENDPOINT_)|^CDK_/

export function emulatorEnvironment(endpoint: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !LEFT_OUT.test(name))
  return {
    ...Object.fromEntries(kept),
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  }
}

import manifest from '../../package.json' with { type: 'json' }

/** The version shown to agents and written to logs: that of package.json, of which bundles keep this field alone. */
export const VERSION: string = manifest.version

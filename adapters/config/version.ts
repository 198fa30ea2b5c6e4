/** The version shown to agents and written to logs. A test compares it with package.json's. */
export const VERSION = '0.1.0'

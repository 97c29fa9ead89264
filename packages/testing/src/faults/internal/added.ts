/** Interfaces that packages with resources extend by declaration merging with `faults/Fault`. */

/**
 * The groups of added resources, by name.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedGroups {}

/**
 * The services of these groups, by the same names, for the types of their generators.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedServices {}

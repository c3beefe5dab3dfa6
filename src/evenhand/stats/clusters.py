"""Items that belong together: runs of one case, outputs for one task, labels by one customer. Pure.

Items of a cluster are alike, so that twenty runs of one case tell less than runs of twenty cases. Everything that is
estimated from items adds up their shares by cluster and takes the clusters as the independent units; resampling draws
whole clusters, and cross-validation leaves out whole ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

LEAST_CLUSTERS: Final = 12
"""With labels from fewer clusters no interval is given: it would hold less often than it says."""

Clusters = Sequence[Hashable]
"""The cluster of each item, in the order of the items."""


def cluster_count(clusters: Clusters) -> int:
    """How many different clusters there are."""
    return len(set(clusters))


def clustered(clusters: Clusters | None) -> bool:
    """Whether any two items share a cluster; otherwise they are as good as independent."""
    return clusters is not None and cluster_count(clusters) < len(clusters)


def too_few_clusters(clusters: Clusters, least: int = LEAST_CLUSTERS) -> str | None:
    """Why labelled items of these clusters allow no interval, or None."""
    count = cluster_count(clusters)
    if count >= least:
        return None
    return (
        f"the {len(clusters)} labelled items come from {count} cluster{'' if count == 1 else 's'} (cases or tasks), "
        f"and items of one cluster are alike; an interval needs labels from at least {least}"
    )


def cluster_folds(clusters: Clusters, folds: int) -> list[int]:
    """A fold for each item, so that all items of a cluster are in the same one; folds are filled evenly."""
    sizes: dict[Hashable, int] = {}
    for cluster in clusters:
        sizes[cluster] = sizes.get(cluster, 0) + 1
    filled = [0] * min(folds, len(sizes))
    fold_of = {}
    for cluster in sorted(sizes, key=lambda cluster: -sizes[cluster]):
        fold = filled.index(min(filled))
        fold_of[cluster] = fold
        filled[fold] += sizes[cluster]
    return [fold_of[cluster] for cluster in clusters]

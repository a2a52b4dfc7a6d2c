from nask.plots.accuracy_dots import accuracy as accuracy
from nask.plots.average_ranks import critical_difference as critical_difference
from nask.plots.confusion_matrix import confusion as confusion
from nask.plots.heatmap import gram_heatmap as gram_heatmap
from nask.plots.kernel_pca import embedding as embedding
from nask.plots.overview import kernel_overview as kernel_overview
from nask.plots.standings import league_table as league_table
